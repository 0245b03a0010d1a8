import { Circle, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Glyph } from '../status/icon'
import { cx } from '../text/cx'

interface Step {
  key: string
  title: string
  text: ReactNode
  done: boolean
  action: ReactNode
}

/** Steps that check themselves off, in a card without padding. */
export const StepList = ({ steps }: { steps: readonly Step[] }) => (
  <ol className="divide-y divide-line-1 border-t border-line-1">
    {steps.map(({ key, title, text, done, action }) => (
      <li key={key} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <Glyph
          icon={done ? CircleCheck : Circle}
          className={done ? 'shrink-0 text-green' : 'shrink-0 text-ink-3'}
        />
        <div className="min-w-0 flex-1 basis-60">
          <p className={cx('text-body font-medium', done && 'text-ink-3')}>
            {title}
            {done && <span className="sr-only"> (done)</span>}
          </p>
          {!done && <p className="text-body text-ink-2">{text}</p>}
        </div>
        {!done && action}
      </li>
    ))}
  </ol>
)
