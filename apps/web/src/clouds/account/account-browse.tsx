import type { Field, Provider } from '@flotilla/contract/clouds/providers'
import { useWatch } from 'react-hook-form'
import { fieldsOf, text, useCredential, useRegion } from '../form-place'
import type { AnyForm } from '../form-place'
import { BrowseButton } from './browse-button'

interface Props {
  form: AnyForm
  provider: Provider
  of: 'cluster' | 'stack'
  field: Pick<Field, 'path' | 'label' | 'within'>
  value: string
  onChoose: (id: string) => void
}

/** A button next to a field whose IDs can also be chosen from the cloud account. */
export function AccountBrowse({ form, provider, of, field, value, onChoose }: Props) {
  const credential = useCredential(form)
  const region = useRegion({ form, provider, of })
  const around: unknown = useWatch({ control: form.control, name: field.within ?? 'provider' })
  const holder = fieldsOf({ provider, of }).find(({ path }) => path === field.within)
  const missing = credential === '' ? 'Choose a credential first' : 'Choose a region first'
  const isMissing = credential === '' || (region === '' && provider.regions.length > 0)
  return (
    <BrowseButton
      query={{ credential, region, field: field.path }}
      label={field.label}
      value={value}
      within={holder ? { label: holder.label, value: text(around) } : null}
      missing={isMissing ? missing : null}
      onChoose={onChoose}
    />
  )
}
