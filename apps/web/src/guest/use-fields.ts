import { useState } from 'react'
import type { ApiError } from '@flotilla/client/api-error'
import { pressEnd } from '../ui/button/press'

/** The state of a text field: its value, error and handlers. */
export interface TextFieldState {
  name: string
  value: string
  error: string | undefined
  onChange: (event: { currentTarget: { value: string } }) => void
  onBlur: () => void
}

/** The errors by field, and the parsed values if there are none. */
export type Check<Values, Output> = (values: Values) => {
  data: Output | null
  problems: Record<string, string>
}

/**
 * The state of a small form of text fields, validated while typing. Guest pages use it instead of the form library,
 * which is larger than all of them together. Errors appear after a field is left; server errors stay until the field
 * changes.
 */
export function useFields<Name extends string, Output>(
  check: Check<Readonly<Record<Name, string>>, Output>,
  initial: Readonly<Record<Name, string>>,
) {
  const [values, setValues] = useState(initial)
  const [left, setLeft] = useState<readonly string[]>([])
  const [serverErrors, setServerErrors] = useState<Readonly<Record<string, string>>>({})

  const { data, problems } = check(values)

  const set = (name: Name, value: string) => {
    setValues((old) => ({ ...old, [name]: value }))
    setServerErrors(({ [name]: _, ...others }) => others)
  }

  const leave = (name: Name) => setLeft((names) => [...names, name])

  return {
    values,
    /** The parsed values if every field is valid, else null. */
    data,
    set,
    field: (name: Name): TextFieldState => ({
      name,
      value: values[name],
      error: serverErrors[name] ?? (left.includes(name) ? problems[name] : undefined),
      onChange: (event) => set(name, event.currentTarget.value),
      // A field that loses the focus to a dialog or a tab has not been left by the user.
      onBlur: () =>
        void pressEnd().then(() => document.querySelector('dialog:modal, [role=tab]:focus') || leave(name)),
    }),
    /** Shows server errors below their fields. */
    refuse: (fields: ApiError['fields']) => setServerErrors(fields),
    clear: () => {
      setValues(initial)
      setLeft([])
      setServerErrors({})
    },
  }
}
