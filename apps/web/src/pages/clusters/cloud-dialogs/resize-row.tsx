import type { AcmShape } from '@flotilla/contract/clouds/acm'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { Field } from '../../../ui/form/field'
import { Input } from '../../../ui/form/input'
import { SizeChooser } from '../../../clouds/sizes/size-chooser'
import type { Sized, SizeErrors } from './resize'

interface Props {
  title: string
  /** Whether the row has a node count, as groups do. */
  counted?: boolean
  provider: Provider
  /** For MAAS, the number of machines of each size. */
  shapes: readonly AcmShape[]
  region: string
  value: Sized
  onChange: (value: Sized) => void
  /** Errors by field name. */
  errors: SizeErrors
}

/** The size of the head node, or the size and count of a group's nodes. */
export function ResizeRow(props: Props) {
  const { title, counted = false, provider, shapes, region, value, onChange, errors } = props
  const chosen = provider.instanceSizes.find(({ instance_id }) => instance_id === value.instance_id)
  // Some providers also select machines by minimum resources, whatever the size.
  const least = provider.groupFields.find(({ path }) => path === 'ocpus')
  const hasResources = chosen?.flexible === true || (least !== undefined && !least.when)
  const number = (key: 'count' | 'ocpus' | 'mem', label: string, max: number) => (
    <Field label={label} error={errors[key]}>
      {(aria) => (
        <Input
          {...aria}
          type="number"
          min={0}
          max={max}
          value={Number.isNaN(value[key]) ? '' : value[key]}
          onChange={({ target }) => onChange({ ...value, [key]: target.valueAsNumber })}
        />
      )}
    </Field>
  )
  return (
    <fieldset className="rounded-card border border-line-1 p-4 pt-2">
      <legend className="px-1 text-body font-semibold">{title}</legend>
      <div className="grid gap-3 sm:grid-cols-[1fr_6rem]">
        <Field label="Size" error={errors.instance_id} className={counted ? undefined : 'sm:col-span-2'}>
          {(aria) => (
            <SizeChooser
              aria={aria}
              provider={provider}
              shapes={shapes}
              region={region}
              title={`Size of ${title.toLowerCase()}`}
              value={value.instance_id}
              onChange={(instance_id) => onChange({ ...value, instance_id })}
            />
          )}
        </Field>
        {counted && number('count', 'Nodes', 1000)}
        {hasResources && (
          <div className="grid grid-cols-2 gap-3 sm:col-span-2">
            {number('ocpus', least?.label ?? 'Cores', chosen?.maxOcpus ?? 1024)}
            {number('mem', 'Memory (GB)', chosen?.maxMemory ?? 16_384)}
          </div>
        )}
      </div>
    </fieldset>
  )
}
