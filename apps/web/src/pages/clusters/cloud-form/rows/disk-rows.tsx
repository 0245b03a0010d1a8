import type { Disk } from '@flotilla/contract/clusters/cloud'
import { valueAt } from '@flotilla/contract/clouds/field-limits'
import { EXISTING_DISK } from '@flotilla/contract/clouds/account-choices'
import type { Field as Description } from '@flotilla/contract/clouds/providers'
import { HardDrive, HardDriveUpload, X } from 'lucide-react'
import { BrowseButton } from '../../../../clouds/account/browse-button'
import { Button, IconButton } from '../../../../ui/button/button'
import { Field, FieldError } from '../../../../ui/form/field'
import { IdInput } from '../../../../ui/form/id-input'
import { Input, Select } from '../../../../ui/form/input'
import { cx } from '../../../../ui/text/cx'

/**
 * Column headings. They are hidden from screen readers, because every control has its own label, and on phones, where
 * the rows are stacked.
 */
const RowHeads = ({ columns, labels }: { columns: string; labels: readonly string[] }) => (
  <div aria-hidden className="flex gap-2 text-label text-ink-3 max-sm:hidden">
    <div className={cx('grid min-w-0 flex-1 gap-2', columns)}>
      {labels.map((label) => (
        <span key={label}>{label}</span>
      ))}
    </div>
    {/* As wide as the button that removes a row. */}
    <span className="w-8" />
  </div>
)

interface Props {
  disks: readonly Disk[]
  hideLegend?: boolean
  onChange: (disks: Disk[]) => void
  onBlur?: () => void
  /** Names that are already taken. */
  taken?: readonly string[]
  types: NonNullable<Description['choices']>
  /** The cloud account and place whose existing disks are offered. */
  account: { credential: string; region: string; zone: string }
  /** The error of a disk's field, or of the list. */
  errorAt: (path: string) => string | undefined
}

const COLUMNS = 'sm:grid-cols-[2fr_7rem_3fr]'
const FIRST_GB = 100
const MAX_GB = 65_536
const SIZES = `Enter a whole number from 1 to ${MAX_GB}`

/** Looks up the error at a path below a form field; an empty path is the field itself. */
export const errorsAt =
  (error: unknown) =>
  (path: string): string | undefined => {
    const message = valueAt(error, path === '' ? 'message' : `${path}.message`)
    return typeof message === 'string' ? message : undefined
  }

/** Replaces the schema's generic message for an invalid number. The cloud's own limits are shown as they are. */
const sizeError = ({ size }: Disk, error: string | undefined): string | undefined =>
  error && (Number.isInteger(size) && size >= 1 && size <= MAX_GB ? error : SIZES)

/** The first free name: data, data2 and so on. */
export function freeName(taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'data' : `data${number}`
    if (!taken.includes(name)) return name
  }
}

/** Additional head node disks, each with a name by which it can be kept and identified later. */
export function DiskRows({
  disks,
  hideLegend = false,
  onChange,
  onBlur,
  taken = [],
  types,
  account,
  errorAt,
}: Props) {
  const set = (at: number, change: Partial<Disk>) =>
    onChange(disks.map((disk, index) => (index === at ? { ...disk, ...change } : disk)))
  const add = (more: Partial<Disk> = {}) => {
    const name = freeName([...taken, ...disks.map((disk) => disk.name)])
    onChange([...disks, { name, size: FIRST_GB, type: '', id: '', ...more }])
  }
  const general = errorAt('')
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className={hideLegend ? 'sr-only' : 'mb-1.5 text-body font-medium'}>
        Additional disks <span className="font-normal text-ink-3">optional</span>
      </legend>
      {disks.length === 0 && (
        <p className="text-label text-ink-3">
          Disks on the head node that you can keep when the cluster is destroyed and reattach later.
        </p>
      )}
      {disks.length > 0 && (
        <RowHeads
          columns={COLUMNS}
          labels={['Name', ...(disks.some(({ size }) => size !== 0) ? ['Size', 'Type'] : ['ID'])]}
        />
      )}
      {disks.map((disk, at) => (
        // The index is a stable key: rows are never reordered, and names may be incomplete.
        <div key={at} className="flex items-start gap-2">
          <div className={cx('grid min-w-0 flex-1 gap-2', COLUMNS)}>
            <TextCell
              label={`Name of disk ${at + 1}`}
              error={errorAt(`${at}.name`)}
              value={disk.name}
              placeholder="Name"
              onBlur={onBlur}
              onChange={(name) => set(at, { name })}
            />
            {disk.size === 0 && (
              <div className="flex items-start gap-2 sm:col-span-2">
                <div className="min-w-0 flex-1">
                  <TextCell
                    label={`ID of disk ${at + 1}`}
                    error={errorAt(`${at}.id`) ?? (errorAt(`${at}.size`) && 'Enter the ID of the disk')}
                    value={disk.id}
                    placeholder="ID of an existing disk"
                    onBlur={onBlur}
                    onChange={(id) => set(at, { id: id.trim() })}
                  />
                </div>
                <BrowseButton
                  query={{ credential: account.credential, region: account.region, field: EXISTING_DISK }}
                  zone={account.zone}
                  label={`Disk ${at + 1}`}
                  value={disk.id}
                  missing={account.credential === '' ? 'Choose a credential first' : null}
                  onChoose={(id) => set(at, { id })}
                />
              </div>
            )}
            {disk.size !== 0 && (
              <Field
                label={`Size of disk ${at + 1} in GB`}
                hideLabel
                error={sizeError(disk, errorAt(`${at}.size`))}
              >
                {(aria) => (
                  <span className="relative block">
                    <Input
                      {...aria}
                      type="number"
                      min={1}
                      max={MAX_GB}
                      className="pr-10"
                      value={Number.isNaN(disk.size) ? '' : disk.size}
                      onBlur={onBlur}
                      // NaN instead of 0, because a size of 0 means an existing disk.
                      onChange={({ target }) => set(at, { size: target.valueAsNumber || NaN })}
                    />
                    <span className="pointer-events-none absolute top-1.5 right-3 text-label leading-5 text-ink-3">
                      GB
                    </span>
                  </span>
                )}
              </Field>
            )}
            {disk.size !== 0 && types.length > 0 && (
              <Field label={`Type of disk ${at + 1}`} hideLabel optional error={errorAt(`${at}.type`)}>
                {(aria) => (
                  <Select
                    {...aria}
                    value={disk.type}
                    onChange={({ target }) => set(at, { type: target.value })}
                  >
                    <option value="">Default type</option>
                    {types.map(({ value, label }) => (
                      <option key={value} value={value}>
                        {label}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            )}
          </div>
          <IconButton
            label={`Remove disk ${disk.name || at + 1}`}
            icon={X}
            onClick={() => onChange(disks.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {general && <FieldError id="disks-error">{general}</FieldError>}
      {disks.some(({ size }) => size === 0) && (
        <p className="text-label text-ink-3">
          An existing disk must be in the zone of the head node. It is mounted with its contents, and is never
          deleted.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button icon={HardDrive} onClick={() => add()}>
          Add a disk
        </Button>
        <Button icon={HardDriveUpload} onClick={() => add({ size: 0 })}>
          Attach an existing disk
        </Button>
      </div>
    </fieldset>
  )
}

interface TextCellProps {
  label: string
  error: string | undefined
  value: string
  placeholder: string
  onBlur: (() => void) | undefined
  onChange: (value: string) => void
}

function TextCell({ label, error, value, placeholder, onBlur, onChange }: TextCellProps) {
  return (
    <Field label={label} hideLabel error={error}>
      {(aria) => <IdInput {...{ aria, value, placeholder, onBlur, onChange }} />}
    </Field>
  )
}
