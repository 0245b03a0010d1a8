import type { Field as Description, Provider } from '@flotilla/contract/providers'
import { useWatch } from 'react-hook-form'
import type { FieldPath } from 'react-hook-form'
import { ImageChoice } from '../../../clouds/image-choice'
import { publicImageText } from '../../../clouds/image-groups'
import { Unanswered } from '../../../clouds/unanswered'
import { useImages, useImagesInfo } from '../../../clouds/use-choices'
import { SwitchField } from '../../../forms/choice-fields'
import { FormField, PasswordField, SelectField, TextField, type Option } from '../../../forms/fields'
import { NumberInUnits } from '../../../forms/number-in-units'
import { countText } from '@flotilla/contract/count-text'
import { Callout } from '../../../ui/callout'
import { osTypeWarning } from '../../../clouds/os-type-warning'
import type { StackForm, StackValues } from './stack-values'

/** Border: descriptions come from the server, whose own test holds every path against the schema of the entity. */
const pathIn = (path: string) => path as FieldPath<StackValues>

interface Props {
  form: StackForm
  provider: Provider
  field: Description
  /** A secret is stored already and stays when nothing is typed. */
  stored: boolean
}

/** One field of the provider's description. */
export function DrawnField({ form, provider, field, stored }: Props) {
  const region = useWatch({ control: form.control, name: 'data.region_id' })
  const frame = {
    form,
    name: pathIn(field.path),
    label: field.label,
    hint: field.help,
    optional: !field.required,
  }
  const select = (options: Option[], placeholder: string) => (
    <SelectField {...frame} options={options} placeholder={placeholder} />
  )
  switch (field.kind) {
    case 'switch':
      return <SwitchField {...frame} />
    case 'number':
      return <NumberInUnits {...frame} field={field} />
    case 'password':
      return (
        <PasswordField
          {...frame}
          hint={stored ? `${field.help ?? ''} The one that is stored stays when this is empty.` : field.help}
          autoComplete="off"
        />
      )
    case 'choice':
      return field.required ? (
        <SelectField {...frame} options={field.choices ?? []} />
      ) : (
        select(field.choices ?? [], 'Usual')
      )
    case 'region':
      return select(
        provider.regions.map(({ name, region_id }) => ({
          value: region_id,
          label: name === region_id ? name : `${name}, ${region_id}`,
        })),
        'Choose a region',
      )
    case 'zone': {
      const zones = provider.regions.find(({ region_id }) => region_id === region)?.zones ?? []
      const none = region ? (zones.length > 0 ? null : 'This region has none') : 'Choose a region first'
      return select(
        zones.map(({ name, zone_id }) => ({ value: zone_id, label: name })),
        none ?? (field.required ? 'Choose one' : 'Any'),
      )
    }
    case 'osType':
      return <OsTypeField {...frame} provider={provider} />
    case 'size':
      return <SizeField {...frame} provider={provider} />
    case 'image':
      return <ImageField {...frame} provider={provider} placeholder={field.placeholder} />
    case 'text':
    case 'tags':
    case 'textarea':
      return (
        <TextField {...frame} mono placeholder={field.placeholder} spellCheck={false} autoComplete="off" />
      )
  }
}
interface Frame {
  form: StackForm
  name: FieldPath<StackValues>
  label: string
  hint: string | undefined
  optional: boolean
}

/** With the public image that it means. */
function OsTypeField({ provider, ...frame }: Frame & { provider: Provider }) {
  const chosen = useWatch({ control: frame.form.control, name: 'data.source_os_type' })
  const info = useImagesInfo(provider.id)
  const warning = osTypeWarning(provider.osTypes, chosen ?? '')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        {...frame}
        hint={publicImageText(info.data, chosen ?? '') ?? frame.hint}
        options={provider.osTypes.map(({ id, name, endOfLife, unavailable }) => ({
          value: id,
          label: `${name}${endOfLife ? ` (end of life ${endOfLife})` : ''}${unavailable ? ' (no public image here)' : ''}`,
        }))}
      />
      {warning && <Callout tone="amber">{warning}</Callout>}
    </div>
  )
}

function ImageField(props: Frame & { provider: Provider; placeholder: string | undefined }) {
  const { provider, placeholder, ...frame } = props
  const { control } = frame.form
  const credential = useWatch({ control, name: 'credential_id' })
  const images = useImages(provider.id, credential, useWatch({ control, name: 'data.region_id' }) ?? '')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <FormField {...frame}>
        {({ value, onChange, onBlur }, aria) => (
          <ImageChoice
            {...{ aria, placeholder, onChange, onBlur }}
            groups={images.found}
            none={
              frame.optional
                ? 'The public one'
                : credential === ''
                  ? 'Choose a credential first'
                  : 'Choose an image'
            }
            value={typeof value === 'string' ? value : ''}
          />
        )}
      </FormField>
      {images.why && <Unanswered why={images.why} instead="type the name of an image" />}
    </div>
  )
}

/** Typed with the provider's own sizes offered: there are hundreds of them. */
function SizeField({ provider, ...frame }: Frame & { provider: Provider }) {
  const list = `sizes-of-${provider.id}`
  return (
    <>
      <TextField
        {...frame}
        mono
        list={list}
        placeholder="Type to search"
        spellCheck={false}
        autoComplete="off"
      />
      <datalist id={list}>
        {provider.instanceSizes.map(({ instance_id, cores, memory, gpus = 0 }) => (
          <option key={instance_id} value={instance_id}>
            {[
              countText(cores, 'core'),
              ...(memory === undefined ? [] : [`${memory} GB`]),
              ...(gpus > 0 ? [countText(gpus, 'GPU')] : []),
            ].join(', ')}
          </option>
        ))}
      </datalist>
    </>
  )
}
