import { valueAt } from '@flotilla/contract/field-limits'
import type { Field as Description, Provider } from '@flotilla/contract/providers'
import { useMemo } from 'react'
import { useController, useFormState, useWatch } from 'react-hook-form'
import type { FieldPath } from 'react-hook-form'
import { ImageChoice } from '../../../clouds/image-choice'
import { Unanswered } from '../../../clouds/unanswered'
import { useImages, useShapes } from '../../../clouds/use-choices'
import { RadioField, SwitchField } from '../../../forms/choice-fields'
import { FormField, PasswordField, SelectField, TextField, TextareaField } from '../../../forms/fields'
import { NumberInUnits } from '../../../forms/number-in-units'
import { TagsField } from '../../../forms/tags-field'
import type { ZodForm } from '../../../forms/use-zod-form'
import { Callout } from '../../../ui/callout'
import { capital } from '../cluster-words'
import { osTypeWarning } from '../../../clouds/os-type-warning'
import { OsTypeSelect, RegionSelect, ZoneSelect, zonesOf } from './choice-lists'
import type { CloudValues } from './cloud-values'
import { decidedBy, isShown, whenDeployed } from './field-rules'
import { SizeChooser } from './size-chooser'
import { withShapes } from './sizes'

export type CloudForm = ZodForm<CloudValues>

/**
 * Border: descriptions come from the server, whose own test holds every path against the schema of the entity.
 */
export const pathIn = (path: string) => path as FieldPath<CloudValues>

interface Props {
  form: CloudForm
  provider: Provider
  field: Description
  /** Where the path begins: empty, or the place of a node group. */
  prefix?: string
  /** A secret is stored already and stays when nothing is typed. */
  stored?: boolean
  /** Machines exist: what an edit means for them is said at the field. */
  deployed?: boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** One field of the provider's description; nothing while another field's value makes it meaningless, unless it is wrong. */
export function DrawnField(props: Props) {
  const { form, provider, field, prefix = '' } = props
  const deciding = useWatch({ control: form.control, name: pathIn(decidedBy(field, prefix) ?? 'provider') })
  const { errors } = useFormState({ control: form.control })
  const wrong = valueAt(errors, prefix + field.path) !== undefined
  return wrong || isShown(field, deciding, provider) ? <Shown {...props} prefix={prefix} /> : null
}

function Shown({ form, provider, field, prefix, stored, deployed }: Props & { prefix: string }) {
  const { hint, locked } = deployed ? whenDeployed(field) : { hint: undefined, locked: false }
  const help = [field.help, hint].filter(Boolean).join(' ') || undefined
  const frame = {
    form,
    name: pathIn(prefix + field.path),
    label: field.label,
    // Where nothing can be chosen, only the reason is of use.
    hint: locked ? hint : help,
    optional: !field.required,
  }
  const placeholder = field.placeholder
  switch (field.kind) {
    case 'switch':
      return <SwitchField {...frame} />
    case 'tags':
      return <TagsField {...frame} noun={field.label.toLowerCase()} />
    case 'textarea':
      return <TextareaField {...frame} mono rows={6} spellCheck={false} placeholder={placeholder} />
    case 'password':
      return (
        <PasswordField
          {...frame}
          hint={stored ? `${help ?? ''} One that is stored stays when this is empty.` : help}
          autoComplete="off"
        />
      )
    case 'number':
      return <NumberInUnits {...frame} field={field} />
    case 'choice':
      return <Choice {...frame} field={field} />
    case 'region':
      return <RegionField {...frame} provider={provider} locked={locked} />
    case 'zone':
      return <ZoneField {...frame} {...{ provider, locked }} required={field.required ?? false} />
    case 'osType':
      return <OsTypeField {...frame} provider={provider} />
    case 'size':
      return <SizeField {...frame} {...{ provider, placeholder, prefix }} sizes={field.sizes} />
    case 'image':
      return <ImageField {...frame} provider={provider} placeholder={placeholder} />
    case 'text':
      return <TextField {...frame} mono placeholder={placeholder} spellCheck={false} autoComplete="off" />
  }
}

interface Frame {
  form: CloudForm
  name: FieldPath<CloudValues>
  label: string
  hint: string | undefined
  optional: boolean
}

const FEW = 4

/** A few that must be chosen from stand open, each with its sentence; all else is a list. */
function Choice({ field: { choices = [], required }, ...frame }: Frame & { field: Description }) {
  if (!required || choices.length > FEW)
    return <SelectField {...frame} options={choices} {...(!required && { placeholder: 'Usual' })} />
  return (
    <RadioField
      {...frame}
      columns={choices.length === 3 ? 3 : 2}
      options={choices.map(({ value, label }) => {
        const [first = label, ...more] = label.split(': ')
        return { value, label: first, description: capital(more.join(': ')) || undefined }
      })}
    />
  )
}

function RegionField({ provider, locked, ...frame }: Frame & { provider: Provider; locked: boolean }) {
  const { form } = frame
  const change = (region: string) => {
    // A zone of another region would be refused.
    const zones = new Set(zonesOf(provider, region).map(({ zone_id }) => zone_id))
    for (const { path, kind } of provider.clusterFields) {
      const zone = form.getValues(pathIn(path))
      if (kind === 'zone' && typeof zone === 'string' && !zones.has(zone)) form.setValue(pathIn(path), '')
    }
  }
  return (
    <FormField {...frame}>
      {({ value, onChange, onBlur }, aria) => (
        <RegionSelect
          aria={aria}
          locked={locked}
          regions={provider.regions}
          value={text(value)}
          onBlur={onBlur}
          onChange={(region) => {
            onChange(region)
            change(region)
          }}
        />
      )}
    </FormField>
  )
}

interface ZoneProps extends Frame {
  provider: Provider
  required: boolean
  locked: boolean
}

function ZoneField({ provider, required, locked, ...frame }: ZoneProps) {
  const region = useWatch({ control: frame.form.control, name: 'data.network.region_id' })
  return (
    <FormField {...frame}>
      {({ value, onChange, onBlur }, aria) => (
        <ZoneSelect {...{ aria, provider, region, required, locked, onChange, onBlur }} value={text(value)} />
      )}
    </FormField>
  )
}

function OsTypeField({ provider, ...frame }: Frame & { provider: Provider }) {
  const { field } = useController({ control: frame.form.control, name: frame.name })
  const warning = osTypeWarning(provider.osTypes, text(field.value))
  return (
    <div className="flex flex-col gap-2">
      <FormField {...frame}>
        {({ value, onChange, onBlur }, aria) => (
          <OsTypeSelect {...{ aria, onChange, onBlur }} osTypes={provider.osTypes} value={text(value)} />
        )}
      </FormField>
      {warning && <Callout tone="amber">{warning}</Callout>}
    </div>
  )
}

interface SizeProps extends Frame {
  provider: Provider
  placeholder: string | undefined
  prefix: string
  /** Only these, where the field says so. */
  sizes: readonly string[] | undefined
}

function SizeField({ provider, placeholder, prefix, sizes, ...frame }: SizeProps) {
  const { control } = frame.form
  const region = useWatch({ control, name: 'data.network.region_id' })
  const shapes = useShapes(provider.id, useWatch({ control, name: 'credential_id' }))
  const offered = useMemo(() => withShapes(provider, shapes.found, sizes), [provider, shapes.found, sizes])
  const group = /\d+/.exec(prefix)?.[0]
  const title =
    group === undefined ? 'Size of the head node' : `Size of the nodes of group ${Number(group) + 1}`
  return (
    <div className="flex flex-col gap-2">
      <FormField {...frame}>
        {({ value, onChange, onBlur }, aria) => (
          <SizeChooser
            {...{ aria, region, title, placeholder, onBlur }}
            provider={offered}
            shapes={shapes.found}
            value={text(value)}
            onChange={(id) => {
              onChange(id)
              onBlur()
            }}
          />
        )}
      </FormField>
      {shapes.why && (
        <Unanswered
          why={shapes.why}
          instead={
            offered.instanceSizes.length > 0
              ? 'choose one of the shapes that were synced last'
              : 'type tag:<name> or pool:<name>'
          }
        />
      )}
    </div>
  )
}

function ImageField(props: Frame & { provider: Provider; placeholder: string | undefined }) {
  const { provider, placeholder, ...frame } = props
  const { control } = frame.form
  const credential = useWatch({ control, name: 'credential_id' })
  const images = useImages(provider.id, credential, useWatch({ control, name: 'data.network.region_id' }))
  return (
    <div className="flex flex-col gap-2">
      <FormField {...frame}>
        {({ value, onChange, onBlur }, aria) => (
          <ImageChoice
            {...{ aria, placeholder, onChange, onBlur }}
            groups={images.found}
            none={frame.optional ? 'Usual' : 'Choose an image'}
            value={text(value)}
          />
        )}
      </FormField>
      {images.why && <Unanswered why={images.why} instead="type the name of an image" />}
    </div>
  )
}
