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

export const useCredential = ({ control }: AnyForm): string =>
  text(useWatch({ control, name: 'credential_id' }))
