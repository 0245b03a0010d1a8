import { X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { ControllerRenderProps, FieldPath, FieldValues } from 'react-hook-form'
import type { ControlAria } from '../../ui/form/field'
import { Glyph } from '../../ui/status/icon'
import { FormField } from './fields'
import type { BoundProps } from './fields'

interface TagsExtra {
  placeholder?: string
  /** The noun for one entry, such as 'domain', for the remove buttons' labels. */
  noun?: string
  /** Suggestions while typing; other values are allowed. */
  suggestions?: readonly string[]
}

/**
 * A list of free-form strings: Enter, comma, leaving the field or submitting the form adds one; Backspace removes the
 * last.
 */
export function TagsField<Values extends FieldValues, Output>({
  placeholder,
  noun,
  suggestions,
  ...frame
}: BoundProps<Values, Output> & TagsExtra) {
  return (
    <FormField {...frame}>
      {(field, aria) => <Tags field={field} aria={aria} {...{ placeholder, noun, suggestions }} />}
    </FormField>
  )
}

interface TagsProps<Values extends FieldValues> {
  field: ControllerRenderProps<Values, FieldPath<Values>>
  aria: ControlAria
  placeholder: string | undefined
  noun: string | undefined
  suggestions: readonly string[] | undefined
}

function Tags<Values extends FieldValues>(props: TagsProps<Values>) {
  const { field, aria, placeholder, noun = 'entry', suggestions } = props
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement | null>(null)
  const listId = useId()
  const tags: readonly string[] = field.value ?? []

  const add = (text: string) => {
    const fresh = text
      .split(/[,\s]+/)
      .filter((word, at, words) => word && !tags.includes(word) && words.indexOf(word) === at)
    setTyped('')
    if (fresh.length > 0) field.onChange([...tags, ...fresh])
  }
  const finish = useRef(() => {})
  useEffect(() => {
    finish.current = () => add(typed)
  })
  // A dialog's button does not take the focus, so there may be unadded text when the form is submitted.
  useEffect(() => {
    const form = input.current?.form
    const onSubmit = () => finish.current()
    form?.addEventListener('submit', onSubmit, { capture: true })
    return () => form?.removeEventListener('submit', onSubmit, { capture: true })
  }, [])

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if ((event.key === 'Enter' || event.key === ',') && typed.trim()) {
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '' && tags.length > 0) field.onChange(tags.slice(0, -1))
  }
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-1 rounded-control border border-line-2 bg-surface-2 px-1.5 py-1 transition-colors hover:border-line-3 has-[input:focus-visible]:border-accent has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent has-[input[aria-invalid]]:border-red">
      {tags.map((tag) => (
        <span
          key={tag}
          className="inline-flex h-6 items-center gap-0.5 rounded-mark bg-surface-3 pl-1.5 text-body"
        >
          {tag}
          <button
            type="button"
            aria-label={`Remove ${noun} ${tag}`}
            onClick={() => field.onChange(tags.filter((one) => one !== tag))}
            className="flex size-6 items-center justify-center rounded-mark text-ink-3 hover:text-ink-1 focus-visible:-outline-offset-2"
          >
            <Glyph icon={X} className="size-3.5" />
          </button>
        </span>
      ))}
      <input
        {...aria}
        ref={(element) => {
          input.current = element
          field.ref(element)
        }}
        name={field.name}
        value={typed}
        placeholder={tags.length === 0 ? placeholder : undefined}
        list={suggestions ? listId : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          add(typed)
          field.onBlur()
        }}
        className="h-6 min-w-24 flex-1 bg-transparent px-1 text-form outline-none"
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions
            .filter((one) => !tags.includes(one))
            .map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
        </datalist>
      )}
    </div>
  )
}
