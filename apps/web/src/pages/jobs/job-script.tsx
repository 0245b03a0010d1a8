import type { JobData, Submission } from '@flotilla/contract/jobs/jobs'
import { Check, Copy } from 'lucide-react'
import { Button } from '../../ui/button/button'
import { Card } from '../../ui/layout/card'
import { useCopy } from '../../ui/text/use-copy'

interface Props {
  data: JobData
  /** The submission whose output is shown. */
  submission: Submission | undefined
}

/** The script of the displayed submission, or of the job if it was never submitted. */
export function JobScript({ data, submission }: Props) {
  const { script } = submission?.data ?? data
  const { ref, copied, copy } = useCopy<HTMLPreElement>(script)
  return (
    <Card
      flush
      title="Script"
      description={script === data.script ? undefined : 'As submitted. The job has been edited since then.'}
      actions={
        <Button icon={copied ? Check : Copy} onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy script'}
        </Button>
      }
    >
      <pre
        ref={ref}
        aria-label="Script"
        // Makes the text scrollable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="max-h-96 overflow-auto border-t border-line-1 px-4 py-3 font-mono text-label leading-[18px] -outline-offset-2 [tab-size:8]"
      >
        {script}
      </pre>
    </Card>
  )
}
