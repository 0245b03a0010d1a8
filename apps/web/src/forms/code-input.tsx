import { useId, useRef, type ClipboardEvent, type KeyboardEvent } from 'react'
import { cx } from '../ui/text/cx'
import { FieldError } from '../ui/form/field'
import { codeFrom, nextBox, typedDigit, withDigit, type Code } from './code'

type Props = {
  label: string
  code: Code
  onChange: (code: Code) => void
  error?: string | null
  disabled?: boolean
  autoFocus?: boolean
}

/**
 * Six boxes for an emailed code. They are one group for screen readers, and accept pasting or autofilling the whole
 * code.
 */
export function CodeInput({ label, code, onChange, error, disabled, autoFocus }: Props) {
  const errorId = useId()
  const boxes = useRef<(HTMLInputElement | null)[]>([])

  const focus = (index: number) => {
    const box = boxes.current[Math.max(0, Math.min(index, code.length - 1))]
    box?.focus()
    box?.select()
  }
  const fill = (text: string) => {
    const next = codeFrom(text)
    onChange(next)
    focus(nextBox(next))
  }

  const type = (index: number, text: string) => {
    const digit = typedDigit(code[index] ?? '', text)
    if (digit === null) return fill(text)
    onChange(withDigit(code, index, digit))
    if (digit !== '') focus(index + 1)
  }

  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    const text = event.clipboardData.getData('text')
    // Pasting text without a digit would only clear the boxes.
    if (/\d/.test(text)) fill(text)
  }

  const press = (index: number, event: KeyboardEvent) => {
    const target = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: code.length - 1 }[event.key]
    if (target !== undefined) {
      event.preventDefault()
      focus(target)
    }
    // A digit that replaces itself is no change, so the browser would report none.
    const replacesItself = event.key === code[index] && !event.ctrlKey && !event.metaKey && !event.altKey
    if (replacesItself) {
      event.preventDefault()
      focus(index + 1)
    }
    if (event.key === 'Backspace' && code[index] === '' && index > 0) {
      event.preventDefault()
      onChange(withDigit(code, index - 1, ''))
      focus(index - 1)
    }
  }

  return (
    <fieldset
      className="m-0 min-w-0 border-0 p-0"
      disabled={disabled}
      aria-describedby={error ? errorId : undefined}
    >
      <legend className="mb-1.5 p-0 text-body font-medium">{label}</legend>
      <div className="flex gap-2">
        {code.map((digit, index) => (
          <input
            // The boxes never change their order or number.
            key={index}
            ref={(box) => {
              boxes.current[index] = box
            }}
            className={cx(
              'h-12 w-full min-w-0 rounded-control border bg-surface-2 text-center font-mono text-title tabular-nums text-ink-1 focus-visible:border-accent focus-visible:outline-offset-0',
              error ? 'border-red' : 'border-line-2 hover:border-line-3',
              disabled && 'opacity-60',
            )}
            type="text"
            inputMode="numeric"
            pattern="[0-9]*"
            autoComplete={index === 0 ? 'one-time-code' : 'off'}
            aria-label={`Digit ${index + 1} of ${code.length}`}
            aria-invalid={error ? true : undefined}
            autoFocus={autoFocus && index === 0}
            value={digit}
            onChange={(event) => type(index, event.currentTarget.value)}
            onPaste={paste}
            onKeyDown={(event) => press(index, event)}
            onFocus={(event) => event.currentTarget.select()}
          />
        ))}
      </div>
      {error && (
        <div role="alert" className="mt-1.5">
          <FieldError id={errorId}>{error}</FieldError>
        </div>
      )}
    </fieldset>
  )
}
