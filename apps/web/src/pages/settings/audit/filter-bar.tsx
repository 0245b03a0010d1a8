import type { ActivityFilter } from '@flotilla/contract/people/activities'
import { actionText, allAuditActions } from '@flotilla/contract/people/audit'
import { X } from 'lucide-react'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { fromLocalInput, toLocalInput } from '../../../forms/fields/date-time-field'
import { Button } from '../../../ui/button/button'
import { cx } from '../../../ui/text/cx'
import { Input, Select } from '../../../ui/form/input'

interface FilterBarProps {
  filter: ActivityFilter
  isFiltered: boolean
  onSet: (changes: ActivityFilter) => void
  onClear: () => void
}

export function AuditFilterBar({ filter, isFiltered, onSet, onClear }: FilterBarProps) {
  return (
    <div role="search" aria-label="Audit trail" className="flex flex-wrap items-end gap-3">
      <TextFilter
        label="Person"
        placeholder="Username"
        value={filter.person}
        onSet={(person) => onSet({ person })}
      />
      <TextFilter
        label="Subject"
        placeholder="Such as Aurora"
        value={filter.subject}
        onSet={(subject) => onSet({ subject })}
      />
      <FilterField label="Action" className="w-44 max-sm:w-full">
        {(id) => (
          <Select
            id={id}
            value={filter.action ?? ''}
            onChange={({ target }) =>
              onSet({ action: allAuditActions.find((action) => action === target.value) })
            }
          >
            <option value="">Any</option>
            {allAuditActions.map((action) => (
              <option key={action} value={action}>
                {actionText(action)}
              </option>
            ))}
          </Select>
        )}
      </FilterField>
      <TimeFilter label="From" value={filter.from} onSet={(from) => onSet({ from })} />
      <TimeFilter label="To" value={filter.to} onSet={(to) => onSet({ to })} />
      {isFiltered && (
        <Button icon={X} onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  )
}

interface FilterFieldProps {
  label: string
  className: string
  children: (id: string) => ReactNode
}

/** A filter with a label. Unlike a form field, it is not marked as optional. */
function FilterField({ label, className, children }: FilterFieldProps) {
  const id = useId()
  return (
    <div className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className="w-fit text-body font-medium">
        {label}
      </label>
      {children(id)}
    </div>
  )
}

interface TextFilterProps {
  label: string
  placeholder: string
  value: string | undefined
  onSet: (value: string | undefined) => void
}

/** Applied with Enter or when the field loses focus, because the server matches only the whole name. */
function TextFilter({ label, placeholder, value = '', onSet }: TextFilterProps) {
  const apply = (text: string) => {
    if (text.trim() !== value) onSet(text.trim() || undefined)
  }
  return (
    <FilterField label={label} className="w-36 max-sm:w-[calc(50%-0.375rem)]">
      {(id) => (
        <Input
          id={id}
          key={value}
          type="search"
          defaultValue={value}
          placeholder={placeholder}
          maxLength={200}
          onBlur={({ target }) => apply(target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') apply(currentTarget.value)
          }}
        />
      )}
    </FilterField>
  )
}

interface TimeFilterProps {
  label: string
  value: number | undefined
  onSet: (value: number | undefined) => void
}

function TimeFilter({ label, value, onSet }: TimeFilterProps) {
  return (
    <FilterField label={label} className="w-48 max-sm:w-full">
      {(id) => (
        <Input
          id={id}
          type="datetime-local"
          value={toLocalInput(value)}
          onChange={({ target }) => onSet(fromLocalInput(target.value) ?? undefined)}
        />
      )}
    </FilterField>
  )
}
