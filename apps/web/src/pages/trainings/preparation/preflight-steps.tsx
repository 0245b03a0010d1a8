import type { PreflightStep } from '@flotilla/contract/trainings/entity'
import { Check, Minus, TriangleAlert, X } from 'lucide-react'
import { Glyph } from '../../../ui/status/icon'
import { Spinner } from '../../../ui/feedback/spinner'
import { cx } from '../../../ui/text/cx'

const styles = {
  ok: { icon: Check, label: 'Passed:', mark: 'bg-green-soft text-green' },
  warning: { icon: TriangleAlert, label: 'Warning:', mark: 'bg-amber-soft text-amber' },
  failed: { icon: X, label: 'Failed:', mark: 'bg-red-soft text-red' },
  'not-checked': { icon: Minus, label: 'Not checked:', mark: 'bg-gray-soft text-gray' },
}

export function PreflightSteps({ steps, busy }: { steps: PreflightStep[] | undefined; busy: boolean }) {
  return (
    <div role="status" className="text-body">
      {busy && (
        <p className="flex items-center gap-2 text-ink-2">
          <Spinner /> Checking
        </p>
      )}
      {!busy && !steps && <p className="text-ink-3">Not checked yet</p>}
      {!busy && steps && (
        <ul className="flex flex-col gap-2.5">
          {steps.map(({ step, state, message }) => {
            const { icon, label, mark } = styles[state]
            return (
              <li key={step} className="flex items-start gap-2.5">
                <span
                  className={cx('mt-px flex size-4 shrink-0 items-center justify-center rounded-full', mark)}
                >
                  <Glyph icon={icon} className="size-3" />
                  <span className="sr-only">{label}</span>
                </span>
                <span className="min-w-0 flex-1 wrap-anywhere">
                  <span className="block font-medium">{step}</span>
                  <span className="block text-ink-2">{message}</span>
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
