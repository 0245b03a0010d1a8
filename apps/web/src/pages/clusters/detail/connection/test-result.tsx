import { Callout } from '../../../../ui/feedback/callout'
import { Diagnosis } from '../../diagnosis'
import type { ComponentProps } from 'react'

interface Props {
  test: {
    data: ComponentProps<typeof Diagnosis>['steps']
    isPending: boolean
    error: { message: string } | null
  }
}

/** The steps of a connection test, its error, or a note that there was no test yet. */
export function TestResult({ test }: Props) {
  if (test.error) return <Callout tone="red" title={test.error.message} alert />
  if (test.data || test.isPending) return <Diagnosis steps={test.data} busy={test.isPending} />
  return <p className="text-body text-ink-3">Not tested since this page was opened.</p>
}
