import { outsideLimits, valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { preselected } from '@flotilla/contract/clusters/preselected'
import { StackInput, type Stack } from '@flotilla/contract/stacks/entity'
import * as z from 'zod/mini'
import { isShownWith } from '../../../clouds/field-rules'
import type { ZodForm } from '../../../forms/use-zod-form'

/** The form's values. Files are kept separately. */
export const StackValues = z.object({
  name: StackInput.shape.name,
  description: z.string(),
  provider: StackInput.shape.provider,
  builder: z.string().check(z.trim(), z.maxLength(64, 'Max character length is 64')),
  credential_id: z.string().check(z.minLength(1, 'Choose a credential')),
  data: z.required(StackInput.shape.data.def.innerType),
  rhel: z.required(StackInput.shape.rhel.def.innerType),
})
export type StackValues = z.infer<typeof StackValues>
type NewIn = Pick<Provider, 'id' | 'name' | 'osTypes' | 'torquePackages'>
export type StackForm = ZodForm<z.input<typeof StackValues>, StackValues>

/**
 * The specification's defaults, which are the schema's defaults, with an operating system and a resource manager that
 * can be built.
 */
export function newValues(provider: NewIn): StackValues {
  const values = StackInput.parse({ name: 'xx', provider: provider.id, credential_id: '-' })
  const { osType, manager } = preselected(provider)
  return {
    ...values,
    name: '',
    credential_id: '',
    data: { ...values.data, source_os_type: osType, manager },
  }
}

export const valuesOf = (stack: Stack): StackValues => {
  const { name, description, provider, builder, credential_id, data, rhel } = stack
  return {
    name,
    description,
    provider,
    builder,
    credential_id,
    data,
    rhel: { activation_key: '', organization_id: rhel.organization_id },
  }
}

/** The schema of the form's values, with the provider's limits. */
export const stackSchema = ({ stackFields }: Pick<Provider, 'stackFields'>) =>
  StackValues.check(
    z.superRefine((values, context) => {
      for (const [path, message] of outsideLimits(stackFields, values))
        context.addIssue({ code: 'custom', message, path: path.split('.'), input: undefined })
    }),
  )

/**
 * Whether Build would fail unless a script provides Torque. A custom image or manual customization may provide it too.
 */
export const lacksTorque = ({ id, torqueSource }: Provider, { data }: StackValues): boolean =>
  id !== 'maas' &&
  data.manager === 'torque' &&
  !torqueSource &&
  data.source_image === '' &&
  !data.customize_image

const isEmpty = (value: unknown): boolean => value === undefined || value === '' || value === 0

/** Fields that are required to build, by path; saving does not need them. */
export function missingIn(provider: Provider, values: StackValues): Record<string, string> {
  const missing = provider.stackFields.filter(
    (field) => field.required && isShownWith(field, values, provider) && isEmpty(valueAt(values, field.path)),
  )
  return Object.fromEntries(missing.map(({ path, label }) => [path, `${label} is required`]))
}

/** The values for another provider. Values that it does not use are dropped; shared ones are kept. */
export function dataFor(provider: Provider, before: StackValues['data']): StackValues['data'] {
  const preset = newValues(provider).data
  const initial: Record<string, unknown> = { ...preset }
  const own = new Set(['region_id', 'zone_id', 'instance_id', 'type'])
  for (const { path } of provider.stackFields) {
    const name = /^data\.(\w+)$/.exec(path)?.[1]
    if (name !== undefined && !own.has(name)) initial[name] = Reflect.get(before, name)
  }
  const usable = provider.osTypes.find(({ id, unavailable }) => id === before.source_os_type && !unavailable)
  initial.source_os_type = usable?.id ?? preset.source_os_type
  return StackInput.shape.data.parse(initial)
}
