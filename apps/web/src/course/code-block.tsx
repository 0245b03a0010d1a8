import { Check, Copy, SquareTerminal } from 'lucide-react'
import { Button } from '../ui/button/button'
import { useCopy } from '../ui/text/use-copy'
import { codeToRun } from './code-to-run'
import { useCourse } from './course-context'

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const { run, runBlockedReason } = useCourse()
  const { ref, copied, copy } = useCopy<HTMLPreElement>(code)
  const runnable = codeToRun(code, language)
  return (
    <figure className="overflow-hidden rounded-card border border-line-1 bg-surface-1">
      <figcaption className="flex flex-wrap items-center gap-1 border-b border-line-1 p-1 pl-3">
        <span className="mr-auto truncate font-mono text-label text-ink-3">{language}</span>
        {runnable !== null && (
          <Button
            variant="ghost"
            icon={SquareTerminal}
            disabledReason={run ? null : runBlockedReason}
            onClick={() => run?.(runnable)}
          >
            Run in terminal
          </Button>
        )}
        <Button variant="ghost" icon={copied ? Check : Copy} onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines are scrolled by keyboard too */}
      <pre ref={ref} tabIndex={0} role="region" aria-label={`Code${language ? ` in ${language}` : ''}`}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}
