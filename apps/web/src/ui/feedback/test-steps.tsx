import { Check, Minus, TriangleAlert, X } from 'lucide-react'
import { cx } from '../text/cx'
import { PublicKey } from '../text/public-key'
import { Glyph } from '../status/icon'
import { Spinner } from './spinner'

interface Step {
  step: string
  /** `warning`: it works, but something should be changed. */
  state: 'ok' | 'warning' | 'failed' | 'not-checked'
  message: string
  /** The key that the message asks the user to install. */
  publicKey?: string | undefined
  ms?: number
}

const styles = {
  ok: { icon: Check, label: 'Passed:', mark: 'bg-green-soft text-green', text: 'text-ink-2' },
  warning: { icon: TriangleAlert, label: 'Warning:', mark: 'bg-amber-soft text-amber', text: 'text-ink-2' },
  failed: { icon: X, label: 'Failed:', mark: 'bg-red-soft text-red', text: 'text-red' },
  'not-checked': { icon: Minus, label: 'Not checked:', mark: 'bg-gray-soft text-gray', text: 'text-ink-2' },
}

interface TestStepsProps {
  steps: readonly Step[] | undefined
  busy: boolean
  busyText?: string
}

/** The result of a test, step by step; a failed step says what to do. */
export function TestSteps({ steps, busy, busyText = 'Testing the connection' }: TestStepsProps) {
  return (
    <div role="status" className="text-body">
      {busy && (
        <p className="flex items-center gap-2 text-ink-2">
          <Spinner /> {busyText}
        </p>
      )}
      {!busy && steps && (
        <ol className="flex flex-col gap-2">
          {steps.map(({ step, state, message, publicKey, ms }) => {
            const { icon, label, mark, text } = styles[state]
            return (
              <li key={step} className="flex items-start gap-2.5">
                <span
                  className={cx('mt-px flex size-4 shrink-0 items-center justify-center rounded-full', mark)}
                >
                  <Glyph icon={icon} className="size-3" />
                  <span className="sr-only">{label}</span>
                </span>
                <span className="min-w-0 flex-1 wrap-anywhere">
                  <span className="block font-medium first-letter:uppercase">{step}</span>
                  <span className={cx('block', text)}>{message}</span>
                  {publicKey !== undefined && <PublicKey text={publicKey} />}
                </span>
                {ms !== undefined && <span className="text-label text-ink-3 tabular-nums">{ms} ms</span>}
              </li>
            )
          })}
        </ol>
      )}
    </div>
  )
}
