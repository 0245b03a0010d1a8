import { useId } from 'react'
import type { ReactNode } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import type { Icon } from '../status/icon'

export interface RadioCard<Value extends string> {
  value: Value
  label: string
  description?: ReactNode
  icon?: Icon
  disabledReason?: string | null
}

interface RadioCardsProps<Value extends string> {
  legend: string
  hideLegend?: boolean
  name: string
  value: Value | null
  onChange: (value: Value) => void
  onBlur?: () => void
  options: readonly RadioCard<Value>[]
  columns?: 1 | 2 | 3 | 5 | 6
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean | undefined
}

const grid = {
  1: 'grid-cols-1',
  2: 'sm:grid-cols-2',
  3: 'sm:grid-cols-2 lg:grid-cols-3',
  5: 'grid-cols-2 sm:grid-cols-5',
  6: 'grid-cols-2 sm:grid-cols-3 xl:grid-cols-6',
}

/** One of a few options with descriptions; native radios underneath, so that arrow keys work. */
export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { legend, hideLegend, name, value, onChange, onBlur, options, columns = 2 } = props
  const id = useId()
  return (
    <fieldset aria-describedby={props['aria-describedby']} className="min-w-0">
      <legend className={hideLegend ? 'sr-only' : 'mb-1.5 text-body font-medium'}>{legend}</legend>
      <div className={cx('grid gap-2', grid[columns])}>
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'flex items-start gap-2.5 rounded-card border p-3 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              option.disabledReason && 'border-line-1 bg-surface-3 text-ink-3',
              !option.disabledReason && value === option.value && 'border-accent bg-accent-soft',
              !option.disabledReason &&
                value !== option.value &&
                'border-line-2 bg-surface-2 hover:border-line-3',
              props['aria-invalid'] && 'border-red',
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              aria-labelledby={`${id}${option.value}`}
              aria-describedby={`${id}${option.value}-more`}
              checked={value === option.value}
              disabled={Boolean(option.disabledReason)}
              onChange={() => onChange(option.value)}
              onBlur={onBlur}
              className="mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-line-3 bg-surface-2 outline-none checked:border-[5px] checked:border-accent"
            />
            <span className="flex min-w-0 flex-col gap-0.5">
              <span id={`${id}${option.value}`} className="flex items-center gap-1.5 text-form font-medium">
                {option.icon && <Glyph icon={option.icon} className="text-ink-3" />}
                {option.label}
              </span>
              {(option.disabledReason ?? option.description) && (
                <span id={`${id}${option.value}-more`} className="text-label text-ink-3">
                  {option.disabledReason ?? option.description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
