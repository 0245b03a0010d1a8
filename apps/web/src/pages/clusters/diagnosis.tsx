import type { DiagnosisStep } from '@flotilla/contract/clusters/entity'
import type * as z from 'zod/mini'
import { TestSteps } from '../../ui/feedback/test-steps'

type Step = z.infer<typeof DiagnosisStep>

/** The steps of a cluster's connection test. */
export const Diagnosis = ({ steps, busy }: { steps: readonly Step[] | undefined; busy: boolean }) => (
  <TestSteps
    busy={busy}
    steps={steps?.map(({ ok, warning, ...step }) => ({
      ...step,
      state: ok ? (warning ? 'warning' : 'ok') : 'failed',
    }))}
  />
)
