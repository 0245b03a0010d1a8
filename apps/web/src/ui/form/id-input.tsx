import type { ComponentProps } from 'react'
import type { ControlAria } from './field'
import { Input } from './input'

interface Props extends Pick<ComponentProps<'input'>, 'placeholder' | 'autoFocus' | 'onBlur'> {
  aria: ControlAria
  value: string
  onChange(value: string): void
}

/** For an ID: no spell check and no autofill. */
export const IdInput = ({ aria, onChange, ...rest }: Props) => (
  <Input
    {...aria}
    {...rest}
    mono
    spellCheck={false}
    autoComplete="off"
    onChange={({ target }) => onChange(target.value)}
  />
)
