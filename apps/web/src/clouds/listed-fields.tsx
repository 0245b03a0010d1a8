import type { Field, Provider } from '@flotilla/contract/clouds/providers'
import { useMemo } from 'react'
import { useController } from 'react-hook-form'
import { FormField } from '../forms/fields/fields'
import { Callout } from '../ui/feedback/callout'
import { AccountBrowse } from './account/account-browse'
import { OsTypeSelect, RegionSelect, ZoneSelect, zonesOf } from './choice-lists'
import { fieldsOf, text, useCredential, useRegion } from './form-place'
import type { AnyForm } from './form-place'
import { ImageChoice } from './images/image-choice'
import { publicImageText } from './images/image-groups'
import { osTypeWarning } from './os-type-warning'
import { SizeChooser } from './sizes/size-chooser'
import { withShapes } from './sizes/sizes'
import { ListUnavailable } from './list-unavailable'
import { useImages, useImagesInfo, useShapes } from './use-choices'

export interface Frame {
  form: AnyForm
  name: string
  label: string
  hint: string | undefined
  optional: boolean
}

/** Props of fields that are chosen from one of the provider's lists. */
interface ListedProps extends Frame {
  provider: Provider
  of: 'cluster' | 'stack'
}

export function RegionField({ provider, of, locked, ...frame }: ListedProps & { locked: boolean }) {
  const { form } = frame
  const change = (region: string) => {
    // The server would reject a zone of another region.
    const zones = new Set(zonesOf(provider, region).map(({ zone_id }) => zone_id))
    for (const { path, kind } of fieldsOf({ provider, of })) {
      const zone: unknown = form.getValues(path)
      if (kind === 'zone' && typeof zone === 'string' && !zones.has(zone)) form.setValue(path, '')
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

interface ZoneProps extends ListedProps {
  required: boolean
  locked: boolean
}

export function ZoneField({ provider, of, required, locked, ...frame }: ZoneProps) {
  const region = useRegion({ form: frame.form, provider, of })
  return (
    <FormField {...frame}>
      {({ value, onChange, onBlur }, aria) => (
        <ZoneSelect {...{ aria, provider, region, required, locked, onChange, onBlur }} value={text(value)} />
      )}
    </FormField>
  )
}

/** For a stack, also shows the public image it stands for. */
export function OsTypeField({ provider, of, ...frame }: ListedProps) {
  const { field } = useController({ control: frame.form.control, name: frame.name })
  const chosen = text(field.value)
  const info = useImagesInfo(provider.id)
  const warning = osTypeWarning(provider.osTypes, chosen)
  const hint = (of === 'stack' && publicImageText(info.data, chosen)) || frame.hint
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <FormField {...frame} hint={hint}>
        {({ onChange, onBlur }, aria) => (
          // A custom image may be any operating system, even one without a public image.
          <OsTypeSelect
            {...{ aria, onChange, onBlur }}
            osTypes={provider.osTypes}
            value={chosen}
            publicOnly={of === 'cluster'}
          />
        )}
      </FormField>
      {warning && <Callout tone="amber">{warning}</Callout>}
    </div>
  )
}

interface SizeProps extends ListedProps {
  placeholder: string | undefined
  prefix: string
  /** Limits the sizes, if the field does. */
  sizes: readonly string[] | undefined
}

export function SizeField({ provider, of, placeholder, prefix, sizes, ...frame }: SizeProps) {
  const region = useRegion({ form: frame.form, provider, of })
  const shapes = useShapes(provider.id, useCredential(frame.form))
  const offered = useMemo(() => withShapes(provider, shapes.found, sizes), [provider, shapes.found, sizes])
  const group = /\d+/.exec(prefix)?.[0]
  const target =
    of === 'stack' ? 'machine' : group === undefined ? 'head node' : `nodes in group ${Number(group) + 1}`
  const title = `Size of the ${target}`
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
      {shapes.reason && (
        <ListUnavailable
          reason={shapes.reason}
          instead={
            offered.instanceSizes.length > 0
              ? 'choose from the last synced shapes'
              : 'enter tag:<name> or pool:<name>'
          }
        />
      )}
    </div>
  )
}

export function ImageField({ provider, of, field, ...frame }: ListedProps & { field: Field }) {
  const credential = useCredential(frame.form)
  const images = useImages(provider.id, credential, useRegion({ form: frame.form, provider, of }))
  const needed = credential === '' ? 'Choose a credential first' : 'Choose an image'
  const none = of === 'stack' ? 'Public image' : 'Default'
  return (
    <div className="flex flex-col gap-2">
      <FormField {...frame}>
        {({ value, onChange, onBlur }, aria) => (
          <ImageChoice
            {...{ aria, onChange, onBlur }}
            placeholder={field.placeholder}
            browse={
              field.fromAccount && (
                <AccountBrowse
                  {...{ provider, of, field }}
                  form={frame.form}
                  value={text(value)}
                  onChoose={(id) => {
                    onChange(id)
                    onBlur()
                  }}
                />
              )
            }
            groups={images.found}
            none={frame.optional ? none : needed}
            value={text(value)}
          />
        )}
      </FormField>
      {images.reason && <ListUnavailable reason={images.reason} instead="enter an image name" />}
    </div>
  )
}
