import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button/button'
import type { ControlAria } from '../../ui/form/field'
import { IdInput } from '../../ui/form/id-input'
import { Select } from '../../ui/form/input'
import type { ImageGroup } from './image-groups'

interface Props {
  aria: ControlAria
  groups: readonly ImageGroup[]
  value: string
  /** Label for no selection: 'Default'. */
  none: string
  placeholder?: string | undefined
  /** Opens a list of the account's images. */
  browse?: ReactNode
  onChange: (value: string) => void
  onBlur: () => void
}

/** Not a possible image name: names have no leading space. */
const ANOTHER = ' another'

/** An image from the list or any other by name; without a list, a text field. */
export function ImageChoice(props: Props) {
  const { aria, groups, value, none, placeholder, browse, onChange, onBlur } = props
  const [typing, setTyping] = useState(false)
  const type = (text: string) => {
    // A list that arrives while the user types must not replace the text field.
    setTyping(true)
    onChange(text)
  }
  if (typing || groups.length === 0)
    return (
      <span className="flex gap-2">
        <IdInput {...{ aria, value, placeholder, onBlur }} onChange={type} autoFocus={typing} />
        {browse}
        {groups.length > 0 && <Button onClick={() => setTyping(false)}>Choose from list</Button>}
      </span>
    )
  const known = groups.some(({ options }) => options.some((option) => option.value === value))
  return (
    <span className="flex gap-2">
      <Select
        {...aria}
        value={value}
        onBlur={onBlur}
        onChange={({ target }) => (target.value === ANOTHER ? setTyping(true) : onChange(target.value))}
      >
        <option value="">{none}</option>
        {value !== '' && !known && <option value={value}>{browse ? value : `${value} (not listed)`}</option>}
        {groups.map(({ label, options }) => (
          <optgroup key={label} label={label}>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </optgroup>
        ))}
        <option value={ANOTHER}>Enter another image name</option>
      </Select>
      {browse}
    </span>
  )
}
