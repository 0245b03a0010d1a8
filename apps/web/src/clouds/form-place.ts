import type { Provider } from '@flotilla/contract/clouds/providers'
import { useWatch } from 'react-hook-form'
import type { FieldValues } from 'react-hook-form'
import type { ZodForm } from '../forms/use-zod-form'

/**
 * A form for any entity with provider fields. Border: descriptions come from the server, whose own test checks every
 * path against the entity's schema.
 */
export type AnyForm = ZodForm<FieldValues>

interface Place {
  form: AnyForm
  provider: Provider
  of: 'cluster' | 'stack'
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const fieldsOf = ({ provider, of }: Pick<Place, 'provider' | 'of'>) =>
  of === 'cluster' ? provider.clusterFields : provider.stackFields

/** The form's region, which zones, prices and images depend on; empty for providers without regions. */
export function useRegion({ form, provider, of }: Place): string {
  const path = fieldsOf({ provider, of }).find(({ kind }) => kind === 'region')?.path
  const region: unknown = useWatch({ control: form.control, name: path ?? 'provider' })
  return path === undefined ? '' : text(region)
}

/** The form's zone: disks in other zones cannot be attached. */
export function useZone({ form, provider, of }: Place): string {
  const field = fieldsOf({ provider, of }).find(({ kind }) => kind === 'zone')
  const [zone, other]: unknown[] = useWatch({
    control: form.control,
    name: [field?.path ?? 'provider', field?.or ?? 'provider'],
  })
  return (field ? text(zone) : '') || (field?.or === undefined ? '' : text(other))
}

export const useCredential = ({ control }: AnyForm): string =>
  text(useWatch({ control, name: 'credential_id' }))
