import { MOUNT_TYPES, MOUNTS_MAX, type Mount } from '@flotilla/contract/clusters/cloud'
import { FolderPlus, X } from 'lucide-react'
import { useController } from 'react-hook-form'
import { Button, IconButton } from '../../../../ui/button/button'
import { Field, FieldError } from '../../../../ui/form/field'
import { Input, Select } from '../../../../ui/form/input'
import type { CloudForm } from '../values/cloud-values'
import { errorsAt } from './disk-rows'

const TEXTS = [
  { name: 'source', label: 'Source', placeholder: 'server:/export' },
  { name: 'path', label: 'Mount path', placeholder: '/data' },
  { name: 'options', label: 'Mount options', placeholder: 'Options' },
] as const
const typeNames = { nfs: 'NFS', lustre: 'Lustre' } satisfies Record<Mount['type'], string>

/** Existing file systems that every machine mounts. */
export function MountRows({ form }: { form: CloudForm }) {
  const { field, fieldState } = useController({ control: form.control, name: 'data.mounts' })
  const mounts: readonly Mount[] = field.value
  const errorAt = errorsAt(fieldState.error)
  const set = (at: number, change: Partial<Mount>) =>
    field.onChange(mounts.map((mount, index) => (index === at ? { ...mount, ...change } : mount)))
  const general = errorAt('')
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-body font-medium">
        Shared file systems <span className="font-normal text-ink-3">optional</span>
      </legend>
      <p className="text-label text-ink-3">
        Existing file systems such as EFS, FSx for Lustre, Azure Files, Filestore or OCI File Storage.
        Machines created from now on mount them.
      </p>
      {mounts.map((mount, at) => (
        // Their order never changes, and a path may be incomplete.
        <div key={at} className="flex items-start gap-2">
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[6rem_2fr_1fr_1fr]">
            <Field label={`Type of file system ${at + 1}`} hideLabel error={errorAt(`${at}.type`)}>
              {(aria) => (
                <Select
                  {...aria}
                  value={mount.type}
                  onChange={({ target }) =>
                    set(at, { type: MOUNT_TYPES.find((type) => type === target.value) ?? 'nfs' })
                  }
                >
                  {MOUNT_TYPES.map((type) => (
                    <option key={type} value={type}>
                      {typeNames[type]}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            {TEXTS.map(({ name, label, placeholder }) => (
              <Field
                key={name}
                label={`${label} of file system ${at + 1}`}
                hideLabel
                error={errorAt(`${at}.${name}`)}
              >
                {(aria) => (
                  <Input
                    {...aria}
                    mono
                    value={mount[name]}
                    placeholder={placeholder}
                    spellCheck={false}
                    autoComplete="off"
                    onBlur={field.onBlur}
                    onChange={({ target }) => set(at, { [name]: target.value.trim() })}
                  />
                )}
              </Field>
            ))}
          </div>
          <IconButton
            label={`Remove file system ${at + 1}`}
            icon={X}
            onClick={() => field.onChange(mounts.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {general && <FieldError id="mounts-error">{general}</FieldError>}
      {mounts.length < MOUNTS_MAX && (
        <div>
          <Button
            icon={FolderPlus}
            onClick={() => field.onChange([...mounts, { type: 'nfs', source: '', path: '', options: '' }])}
          >
            Add a file system
          </Button>
        </div>
      )}
    </fieldset>
  )
}
