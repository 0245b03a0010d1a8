import { activities, type ActivityFilter } from '@flotilla/contract/people/activities'
import { allAuditActions } from '@flotilla/contract/people/audit'
import { Download, X } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../../api/download'
import { showError } from '../../../api/errors'
import { fromLocalInput, toLocalInput } from '../../../forms/date-time-field'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input, Select } from '../../../ui/input'
import { Menu } from '../../../ui/menu'

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
        placeholder="Name, such as ada or cluster lab"
        value={filter.subject}
        onSet={(subject) => onSet({ subject })}
      />
      <Field label="Action" optional className="w-52 max-sm:w-full">
        {(aria) => (
          <Select
            {...aria}
            value={filter.action ?? ''}
            onChange={({ target }) =>
              onSet({ action: allAuditActions.find((action) => action === target.value) })
            }
          >
            <option value="">Any</option>
            {allAuditActions.map((action) => (
              <option key={action}>{action}</option>
            ))}
          </Select>
        )}
      </Field>
      <TimeFilter label="From" value={filter.from} onSet={(from) => onSet({ from })} />
      <TimeFilter label="To" value={filter.to} onSet={(to) => onSet({ to })} />
      <div className="ml-auto flex gap-2">
        {isFiltered && (
          <Button icon={X} onClick={onClear}>
            Clear
          </Button>
        )}
        <ExportMenu filter={filter} />
      </div>
    </div>
  )
}

interface TextFilterProps {
  label: string
  placeholder: string
  value: string | undefined
  onSet: (value: string | undefined) => void
}

/** Applied with Enter or when the field is left: the server searches for the whole name. */
function TextFilter({ label, placeholder, value = '', onSet }: TextFilterProps) {
  const apply = (text: string) => {
    if (text.trim() !== value) onSet(text.trim() || undefined)
  }
  return (
    <Field label={label} optional className="w-52 max-sm:w-full">
      {(aria) => (
        <Input
          {...aria}
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
    </Field>
  )
}

interface TimeFilterProps {
  label: string
  value: number | undefined
  onSet: (value: number | undefined) => void
}

function TimeFilter({ label, value, onSet }: TimeFilterProps) {
  return (
    <Field label={label} optional className="w-48 max-sm:w-full">
      {(aria) => (
        <Input
          {...aria}
          type="datetime-local"
          value={toLocalInput(value)}
          onChange={({ target }) => onSet(fromLocalInput(target.value) ?? undefined)}
        />
      )}
    </Field>
  )
}

/** Everything that matches, and not only what is shown. */
function ExportMenu({ filter }: { filter: ActivityFilter }) {
  const [busy, setBusy] = useState(false)
  const save = async (endpoint: typeof activities.exportCsv | typeof activities.exportJson, name: string) => {
    setBusy(true)
    try {
      await download(endpoint, { query: filter }, name)
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu
      label="Export"
      trigger={
        <Button icon={Download} busy={busy}>
          Export
        </Button>
      }
      items={[
        { label: 'As CSV', onSelect: () => void save(activities.exportCsv, 'audit.csv') },
        { label: 'As JSON', onSelect: () => void save(activities.exportJson, 'audit.json') },
      ]}
    />
  )
}
