import { useState } from 'react'
import type { ApiError } from '@flotilla/client/api-error'
import { pressEnd } from '../ui/press'

/** What a text field needs: its value, what is wrong with it, and the handlers. */
export interface TextFieldState {
  name: string
  value: string
  error: string | undefined
  onChange: (event: { currentTarget: { value: string } }) => void
  onBlur: () => void
}

/** What is wrong with the values, by field; and what they come to when nothing is. */
export type Check<Values, Output> = (values: Values) => {
  data: Output | null
  problems: Record<string, string>
}

/**
 * The state of a small form of text fields, checked as they are typed. The pages before login use it instead
 * of the form library, which is heavier than all of them together. A field complains once it was left; what the server
 * said about a field stands until the field is changed.
 */
export function useFields<Name extends string, Output>(
  check: Check<Readonly<Record<Name, string>>, Output>,
  initial: Readonly<Record<Name, string>>,
) {
  const [values, setValues] = useState(initial)
  const [left, setLeft] = useState<readonly string[]>([])
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({})

  const { data, problems } = check(values)

  const set = (name: Name, value: string) => {
    setValues((old) => ({ ...old, [name]: value }))
    setRefused(({ [name]: _, ...others }) => others)
  }

  const leave = (name: Name) => setLeft((names) => (names.includes(name) ? names : [...names, name]))

  return {
    values,
    /** The parsed values when every field is right, else null. */
    data,
    set,
    field: (name: Name): TextFieldState => ({
      name,
      value: values[name],
      error: refused[name] ?? (left.includes(name) ? problems[name] : undefined),
      onChange: (event) => set(name, event.currentTarget.value),
      onBlur: () => void pressEnd().then(() => leave(name)),
    }),
    /** Puts what the server said about single fields beneath them. */
    refuse: (fields: ApiError['fields']) => setRefused(fields),
    clear: () => {
      setValues(initial)
      setLeft([])
      setRefused({})
    },
  }
}
