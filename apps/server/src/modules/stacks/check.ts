import { outsideLimits } from '@flotilla/contract/clouds/field-limits'
import { problemsOfDisk } from '@flotilla/contract/clusters/impossible/disks'
import { impossibleZones } from '@flotilla/contract/clusters/impossible/network'
import { malformedIn, problemsIn, type Problem } from '@flotilla/contract/clusters/impossible/values'
import type { StackData, StackInput } from '@flotilla/contract/stacks/entity'
import { isTemplate } from '../../engines/packer/packer'
import { fail } from '../../fail'
import type { ImageBuilder } from '../../providers/image/image'
import type { Catalog, ProviderFacts } from '../../providers/provider'
import { unknownSizes } from '../../providers/sizes'
import { torqueBlockedReason } from '../../cloud-init/torque-source'
import type { TorqueSource } from '../../cloud-init/input'
import { filesOf } from './view'
import type { FoundStack } from './store'

/** Rejects values that the provider does not support. Missing values are allowed until the build. */
export function refuseImpossible(
  facts: ProviderFacts,
  input: StackInput,
  { catalog, before }: { catalog: Catalog | null; before: FoundStack | undefined },
): void {
  const fields: Record<string, string> = Object.fromEntries([
    ...outsideLimits(facts.stackFields, input).map(([path, limit]) => [`stack.${path}`, limit]),
    ...unknownSizes(facts.stackFields, catalog, {
      entity: input,
      before: before && { data: before.data },
    }).map(([path, reason]) => [`stack.${path}`, reason]),
    ...problemsIn(facts.refusals, { data: input.data, rhel: input.rhel }).map(([path, reason]) => [
      `stack.${path}`,
      reason,
    ]),
  ])
  const texts = Object.entries({ data: input.data, rhel: input.rhel }).flatMap(([part, values]) =>
    Object.entries(values).map(([name, value]): [string, unknown] => [`stack.${part}.${name}`, value]),
  )
  for (const [at, value] of texts)
    if (typeof value === 'string' && isTemplate(value))
      fields[at] ??= 'Cannot contain two opening braces in a row'
  if (!facts.osTypes.some(({ id }) => id === input.data.source_os_type))
    fields['stack.data.source_os_type'] = 'Unknown operating system'
  if (input.rhel.activation_key && !input.rhel.organization_id)
    fields['stack.rhel.organization_id'] = 'Enter the organization that the key belongs to'
  if (Object.keys(fields).length > 0) fail('bad_input', { fields })
}

/** The disk of an image is the system disk of the machine on which it is built. */
function problemsOfImageDisk(facts: ProviderFacts, data: StackData): Problem[] {
  if (facts.diskTypes.length === 0) return []
  const os = facts.osTypes.find(({ id }) => id === data.source_os_type)
  const sizePath = facts.stackFields.find(({ path }) => /^data\.(disk|volume)_size$/.test(path))?.path
  return problemsOfDisk(facts, {
    path: 'data.type',
    sizePath: sizePath ?? 'data.disk_size',
    size: data.disk_size || data.volume_size,
    type: data.type,
    instanceId: data.instance_id,
    image: data.source_image || data.source_image_publisher ? 0 : (os?.disk ?? facts.rootDiskMin),
  })
}

const missing = (value: unknown) => value === undefined || value === '' || value === 0

/** Fails with everything that is missing or invalid for a build, by field. */
export function refuseUnfinished(facts: ProviderFacts, stack: FoundStack, catalog: Catalog | null): void {
  const data: Record<string, unknown> = stack.data
  const fields: Record<string, string> = Object.fromEntries(
    [
      ...malformedIn(facts.stackFields, { data }),
      ...impossibleZones(facts.stackFields, catalog?.regions ?? [], { data }),
      ...problemsOfImageDisk(facts, stack.data),
    ].map(([path, message]) => [`stack.${path}`, message]),
  )
  for (const { path, label, required } of facts.stackFields) {
    const name = /^data\.(\w+)$/.exec(path)?.[1]
    if (required && name !== undefined && missing(data[name])) fields[`stack.${path}`] = `${label} is missing`
  }
  const { source_os_type, source_image, source_image_publisher, source_image_offer, source_image_sku } =
    stack.data
  const named = { source_image_publisher, source_image_offer, source_image_sku }
  if (Object.values(named).some(Boolean))
    for (const [name, value] of Object.entries(named))
      if (!value) fields[`stack.data.${name}`] = 'Enter publisher, offer and SKU together'
  const os = facts.osTypes.find(({ id }) => id === source_os_type)
  // A custom image may contain any system; the type then only determines its username.
  if (os?.unavailable && !source_image && !source_image_publisher)
    fields['stack.data.source_os_type'] = os.unavailable
  if (Object.keys(fields).length > 0) {
    const [first] = Object.values(fields)
    fail('bad_input', { message: `The stack cannot be built yet: ${first}`, fields })
  }
}

/** Why a build could not succeed, checked before it costs anything. */
export function buildBlockedReason(
  stack: FoundStack,
  builder: ImageBuilder,
  torqueSource: TorqueSource | null,
  version: string,
): { code: 'no_torque' | 'wrong_state'; message: string } | null {
  const { data } = stack
  const scripts = [...filesOf(stack, 'nodeProvisioner'), ...filesOf(stack, 'serverProvisioner')]
  // A script or the source image may install Torque, which is checked before the image is captured.
  const mayBring = scripts.length > 0 || data.source_image !== '' || data.customize_image
  const noTorque = mayBring
    ? null
    : torqueBlockedReason({
        manager: data.manager,
        imageHasTorque: false,
        torqueSource,
        osType: data.source_os_type,
      })
  if (noTorque)
    return {
      code: 'no_torque',
      message:
        'Torque is not in any public package repository. Ask an admin to configure one in the settings, install it with a provisioner script, or use Slurm.',
    }
  const message = builder.tooOld?.(data, version) ?? null
  return message === null ? null : { code: 'wrong_state', message }
}
