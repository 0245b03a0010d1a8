import { EXISTING_FILE_SYSTEM } from '@flotilla/contract/clouds/account-choices'
import { MOUNTS_MAX, type Mount } from '@flotilla/contract/clusters/cloud'
import { eitherText } from '@flotilla/contract/count-text'
import { MOUNT_TYPES } from '@flotilla/contract/limits'
import { FolderPlus, X } from 'lucide-react'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { useController, useWatch } from 'react-hook-form'
import { BrowseButton } from '../../../../clouds/account/browse-button'
import { useFieldError } from '../../../../forms/use-field-error'
import { Button, IconButton } from '../../../../ui/button/button'
import { Field, FieldError } from '../../../../ui/form/field'
import { Input, Select } from '../../../../ui/form/input'
import { Callout } from '../../../../ui/feedback/callout'
import type { CloudForm } from '../values/cloud-values'
import { isGivenNetwork, makesNetwork } from '../values/field-rules'
import { errorsAt } from './disk-rows'

const TEXTS = [
  {
    name: 'source',
    label: 'Source',
    placeholder: { nfs: 'server:/export', lustre: 'server@tcp:/name' },
    className: 'sm:col-span-4',
  },
  {
    name: 'path',
    label: 'Mount path',
    placeholder: { nfs: '/data', lustre: '/data' },
    className: 'sm:col-span-3',
  },
  { name: 'options', label: 'Options', className: 'sm:col-span-3' },
] as const
const typeNames = { nfs: 'NFS', lustre: 'Lustre' } satisfies Record<Mount['type'], string>

interface Props {
  form: CloudForm
  provider: Provider
  /** The cloud account and region whose file systems are offered. */
  account: { credential: string; region: string }
}

/** Adds the row number for screen readers; other users see the position of the row. */
const labelOf = (name: string, at: number) => (
  <>
    {name} <span className="sr-only">of file system {at + 1}</span>
  </>
)

/** Existing file systems that every machine mounts. */
export function MountRows({ form, provider, account }: Props) {
  const { field } = useController({ control: form.control, name: 'data.mounts' })
  const mounts: readonly Mount[] = field.value
  const errorAt = errorsAt(useFieldError(form, 'data.mounts'))
  const set = (at: number, change: Partial<Mount>) =>
    field.onChange(mounts.map((mount, index) => (index === at ? { ...mount, ...change } : mount)))
  const general = errorAt('')
  const names = eitherText(provider.fileSystems.map(({ name }) => name))
  const network = useWatch({ control: form.control, name: 'data.network' })
  const lacksNetwork = mounts.length > 0 && makesNetwork(provider) && !isGivenNetwork(network)
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 text-body font-medium">
        Shared file systems <span className="font-normal text-ink-3">optional</span>
      </legend>
      <p className="text-label text-ink-3">
        Existing file systems{names && ` such as ${names}`}. Machines created from now on mount them.
      </p>
      {mounts.length > 0 &&
        provider.fileSystems.map(({ name, example }) => (
          <p key={name} className="text-label wrap-anywhere text-ink-3">
            {name}: <span className="font-mono">{example}</span>
          </p>
        ))}
      {lacksNetwork && (
        <Callout tone="amber" title="A network created just for this cluster cannot reach them">
          Under Network, choose the network that these file systems are in.
        </Callout>
      )}
      {mounts.map((mount, at) => (
        // The index is a stable key: rows are never reordered, and paths may be incomplete.
        <div key={at} className="flex items-start gap-2 rounded-card border border-line-1 p-3">
          <div className="grid min-w-0 flex-1 gap-3 sm:grid-cols-6">
            <Field label={labelOf('Type', at)} error={errorAt(`${at}.type`)} className="sm:col-span-2">
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
            {TEXTS.map(({ name, label, className, ...text }) => (
              <Field
                key={name}
                label={labelOf(label, at)}
                optional={name === 'options'}
                className={className}
                error={errorAt(`${at}.${name}`)}
              >
                {(aria) => (
                  <span className="flex gap-2">
                    <Input
                      {...aria}
                      mono
                      value={mount[name]}
                      placeholder={'placeholder' in text ? text.placeholder[mount.type] : undefined}
                      spellCheck={false}
                      autoComplete="off"
                      onBlur={field.onBlur}
                      onChange={({ target }) => set(at, { [name]: target.value.trim() })}
                    />
                    {name === 'source' && provider.fileSystems.some(({ type }) => type === mount.type) && (
                      <BrowseButton
                        query={{ ...account, field: EXISTING_FILE_SYSTEM[mount.type] }}
                        label={`File system ${at + 1}`}
                        value={mount.source}
                        missing={account.credential === '' ? 'Choose a credential first' : null}
                        onChoose={(source) => set(at, { source })}
                      />
                    )}
                  </span>
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
