import type { ComponentProps, ReactNode } from 'react'
import { Field } from '../ui/form/field'
import { Input } from '../ui/form/input'
import { PasswordInput } from '../ui/form/password-input'
import type { TextFieldState } from './use-fields'

interface Props extends Omit<ComponentProps<typeof Input>, keyof TextFieldState | 'size'> {
  field: TextFieldState
  label: string
  hint?: ReactNode
}

/** The 40 px fields of guest pages. */
export function GuestField({ field, label, hint, type = 'text', ...rest }: Props) {
  const { error, ...control } = field
  const Control = type === 'password' ? PasswordInput : Input
  return (
    <Field label={label} hint={hint} error={error}>
      {(aria) => (
        <Control {...aria} {...control} {...rest} {...(type === 'password' ? {} : { type })} size="l" />
      )}
    </Field>
  )
}
