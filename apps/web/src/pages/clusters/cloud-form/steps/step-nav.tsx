import { Check, CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { cx } from '../../../../ui/text/cx'
import { Glyph } from '../../../../ui/status/icon'
import { stepNames } from '../values/field-rules'
import type { Step } from '../values/field-rules'

export type StepMark = 'wrong' | 'unfinished' | 'unseen' | 'done'

interface Props<Name extends Step | 'summary'> {
  steps: readonly Name[]
  current: Name | null
  markOf: (step: Name) => StepMark
  onChoose: (step: Name) => void
}

const markLabels: Record<StepMark, string> = {
  wrong: 'has errors',
  unfinished: 'incomplete',
  unseen: '',
  done: 'done',
}

/** The list of steps, with the current step, unfinished steps and errors. Every step can be opened at any time. */
export function StepNav<Name extends Step | 'summary'>({ steps, current, markOf, onChoose }: Props<Name>) {
  const list = useRef<HTMLOListElement>(null)
  // On a narrow page, the steps are in a row that scrolls while the page stays in place.
  useEffect(() => {
    const row = list.current
    const button = row?.querySelector<HTMLElement>('[aria-current="step"]')
    if (row && button) row.scrollLeft = button.offsetLeft - (row.clientWidth - button.offsetWidth) / 2
  }, [current])
  return (
    <nav aria-label="Steps" className="xl:sticky xl:top-18 xl:self-start">
      <ol ref={list} className="relative flex gap-1 max-xl:overflow-x-auto max-xl:pb-1 xl:flex-col">
        {steps.map((step, at) => {
          const mark = markOf(step)
          return (
            <li key={step} className="shrink-0">
              <button
                type="button"
                aria-current={step === current ? 'step' : undefined}
                onClick={() => onChoose(step)}
                className={cx(
                  'flex h-8 w-full items-center gap-2 rounded-control px-2 text-body font-medium transition-colors',
                  step === current
                    ? 'bg-surface-3 text-ink-1'
                    : 'text-ink-2 hover:bg-surface-3 hover:text-ink-1',
                )}
              >
                <span
                  className={cx(
                    'flex size-5 shrink-0 items-center justify-center rounded-full text-label tabular-nums',
                    mark === 'wrong' ? 'text-red' : 'border border-line-2 text-ink-3',
                  )}
                >
                  {mark === 'wrong' ? (
                    <Glyph icon={CircleAlert} />
                  ) : mark === 'done' ? (
                    <Glyph icon={Check} className="size-3" />
                  ) : (
                    at + 1
                  )}
                </span>
                {stepNames[step]}
                {markLabels[mark] && <span className="sr-only">, {markLabels[mark]}</span>}
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
