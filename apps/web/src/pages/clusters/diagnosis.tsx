import type { DiagnosisStep } from '@flotilla/contract/clusters/entity'
import { Check, X } from 'lucide-react'
import type * as z from 'zod/mini'
import { cx } from '../../ui/cx'
import { Glyph } from '../../ui/icon'
import { Spinner } from '../../ui/spinner'

type Step = z.infer<typeof DiagnosisStep>

/** The result of a connection test, step by step; the first failed step says what to do. */
export function Diagnosis({ steps, busy }: { steps: readonly Step[] | undefined; busy: boolean }) {
  return (
    <div role="status" className="text-body">
      {busy && (
        <p className="flex items-center gap-2 text-ink-2">
          <Spinner /> Testing the connection
        </p>
      )}
      {!busy && steps && (
        <ol className="flex flex-col gap-2">
          {steps.map(({ step, ok, message, ms }) => (
            <li key={step} className="flex items-start gap-2.5">
              <span
                className={cx(
                  'mt-px flex size-4 shrink-0 items-center justify-center rounded-full',
                  ok ? 'bg-green-soft text-green' : 'bg-red-soft text-red',
                )}
              >
                <Glyph icon={ok ? Check : X} className="size-3" />
                <span className="sr-only">{ok ? 'Passed:' : 'Failed:'}</span>
              </span>
              <span className="min-w-0 flex-1 wrap-anywhere">
                <span className="block font-medium first-letter:uppercase">{step}</span>
                <span className={cx('block', ok ? 'text-ink-2' : 'text-red')}>{message}</span>
              </span>
              <span className="text-label text-ink-3 tabular-nums">{ms} ms</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
