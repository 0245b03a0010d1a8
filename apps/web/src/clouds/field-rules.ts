import { valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Field, Provider } from '@flotilla/contract/clouds/providers'

/** Which field's value decides whether this one is shown. `flexible` refers to the size next to it. */
export function decidedBy({ path, when }: Field, prefix: string): string | null {
  if (!when) return null
  if (when.path !== 'flexible') return prefix + when.path
  const folder = path.includes('.') ? path.slice(0, path.lastIndexOf('.') + 1) : ''
  return `${prefix}${folder}instance_id`
}

export function isShown(
  { when }: Field,
  deciding: unknown,
  { instanceSizes }: Pick<Provider, 'instanceSizes'>,
): boolean {
  if (!when) return true
  const value =
    when.path === 'flexible'
      ? (instanceSizes.find(({ instance_id }) => instance_id === deciding)?.flexible ?? false)
      : deciding
  return when.is.includes(String(value))
}

/** Whether a field is shown with these values in the form. */
export function isShownWith(field: Field, values: unknown, provider: Provider, prefix = ''): boolean {
  const deciding = decidedBy(field, prefix)
  return isShown(field, deciding && valueAt(values, deciding), provider)
}
