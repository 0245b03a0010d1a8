import { CloudClusterInput, NodeGroup } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { clusterOutsideLimits, valueAt } from '@flotilla/contract/clouds/field-limits'
import { preselected } from '@flotilla/contract/clusters/preselected'
import { impossibleIn, type Rules } from '@flotilla/contract/clusters/impossible/impossible'
import type { Problem } from '@flotilla/contract/clusters/impossible/values'
import { imageOfStack } from '@flotilla/contract/stacks/stack-choices'
import type { Stack } from '@flotilla/contract/stacks/entity'
import type { Provider } from '@flotilla/contract/clouds/providers'
import type { FieldPath } from 'react-hook-form'
import * as z from 'zod/mini'
import { issueText } from '../../../../forms/issue-text'
import type { ZodForm } from '../../../../forms/use-zod-form'
import { errorsByPath } from '../../../../forms/zod-resolver'
import { copyName } from '../../cluster-text'
import { isNodeCount } from '../rows/node-count'

/** The form's values: every field of the entity, visible or not, because another provider or a file may use it. */
export type CloudValues = CloudClusterInput
export type CloudForm = ZodForm<CloudValues>

/** Border: field descriptions come from the server, where a test checks every path against the entity's schema. */
export const pathIn = (path: string) => path as FieldPath<CloudValues>

/** Placeholder for a field that was cleared. */
const UNCHOSEN = 'none'

export const newGroup = (): NodeGroup => NodeGroup.parse({})

type NewIn = Pick<
  Provider,
  'id' | 'name' | 'osTypes' | 'torquePackages' | 'desktopDefaults' | 'consoleRanges' | 'clusterFields'
>

/** The address ranges that can connect: the ranges already chosen, or only the console's. */
const rangesIn = (
  { clusterFields, consoleRanges }: Pick<NewIn, 'clusterFields' | 'consoleRanges'>,
  chosen: string[] = [],
): string[] => {
  if (!clusterFields.some(({ kind }) => kind === 'ranges')) return []
  return chosen.length > 0 ? chosen : consoleRanges
}

/**
 * The specification's defaults, which are the schema's defaults, with an operating system and a resource manager that
 * can be deployed.
 */
export function newValues(provider: NewIn): CloudValues {
  const values = CloudClusterInput.parse({ name: 'New', provider: provider.id, credential_id: UNCHOSEN })
  const { osType, manager } = preselected(provider)
  const { network, node } = values.data
  return {
    ...values,
    name: '',
    credential_id: '',
    info: { ...values.info, ...provider.desktopDefaults, 'os-type': osType },
    data: {
      ...values.data,
      manager,
      node: { ...node, group: [newGroup()] },
      network: { ...network, allowed_ranges: rangesIn(provider) },
    },
  }
}

/** Moves values from alternative paths of the entity to the paths of the provider's fields. */
export function inTheirFields(
  { clusterFields }: Pick<Provider, 'clusterFields'>,
  values: CloudValues,
): CloudValues {
  const moved = structuredClone(values)
  for (const { path, or } of clusterFields) {
    const value = or === undefined ? '' : valueAt(moved, or)
    if (or === undefined || value === '') continue
    if (valueAt(moved, path) === '') set(moved, path, value)
    set(moved, or, '')
  }
  return moved
}
function set(entity: object, path: string, value: unknown): void {
  const [, folder = '', name = path] = /^(.*)\.([^.]+)$/.exec(path) ?? []
  const holder = folder === '' ? entity : valueAt(entity, folder)
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, name, value)
}

/** A stored cluster's values. The server never returns secrets; an empty field keeps the stored one. */
export function valuesOf(cluster: CloudCluster): CloudValues {
  const values = CloudClusterInput.parse({ ...cluster, credential_id: cluster.credential_id ?? UNCHOSEN })
  return { ...values, credential_id: cluster.credential_id ?? '' }
}

export const copyOf = (cluster: CloudCluster): CloudValues => ({
  ...valuesOf(cluster),
  name: copyName(cluster.name),
})

/** The values that mean the same in another cloud. */
export function carriedTo(provider: Provider, from: CloudValues): CloudValues {
  const initial = newValues(provider)
  const { name, description, collaborators, ldapCollaborators, forEveryone, info } = from
  const { manager, share, packages, provision, moab, tags } = from.data
  const osType = provider.osTypes.find(({ id }) => id === info['os-type'])
  return {
    ...initial,
    name,
    description,
    collaborators,
    ldapCollaborators,
    forEveryone,
    info: {
      ...info,
      'os-type': osType?.unavailable === undefined ? info['os-type'] : initial.info['os-type'],
    },
    data: {
      ...initial.data,
      manager,
      share,
      packages,
      provision,
      moab,
      tags,
      network: {
        ...initial.data.network,
        allowed_ranges: rangesIn(provider, from.data.network.allowed_ranges),
      },
    },
  }
}

/** Replaces null, which a number field holds while it is cleared, with 0. */
const numbersFilled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(numbersFilled)
  if (typeof value !== 'object' || value === null) return value === null ? 0 : value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, numbersFilled(one)]))
}

const Choices = z.extend(CloudClusterInput, {
  credential_id: z.string().check(z.minLength(1, 'Choose a credential'), z.maxLength(64)),
})
/** Values that can be saved but not deployed, by field, with the server's messages. */
export const impossibleValues = (
  provider: Rules,
  values: CloudValues,
  stacks: readonly Pick<Stack, 'id' | 'data' | 'edited'>[],
): Problem[] => {
  const stack = stacks.find(({ id }) => id === values.stack_id)
  const image = stack
    ? imageOfStack({ ...stack.data, edited: stack.edited }, provider.instanceSizes)
    : // A chosen stack that is not listed here has an image too.
      values.stack_id
      ? { arch: null, disk: 0 }
      : null
  return impossibleIn(provider, values, image)
}

/** The contract's schema and the provider's limits and rules. An incomplete cluster can be saved. */
export const cloudSchema = (provider: Rules, stacks: readonly Pick<Stack, 'id' | 'data' | 'edited'>[] = []) =>
  z.pipe(z.transform(inputOf), Choices).check(
    z.superRefine((values, context) => {
      for (const [path, message] of [
        ...clusterOutsideLimits(provider, values),
        ...impossibleValues(provider, values, stacks),
      ])
        context.addIssue({ code: 'custom', message, path: path.split('.'), input: undefined })
    }),
  )

/** The form's errors by path. */
export const problemsOf = (
  schema: ReturnType<typeof cloudSchema>,
  values: CloudValues,
): [string, string][] => {
  const parsed = schema.safeParse(values, { error: issueText })
  return parsed.success ? [] : [...errorsByPath(parsed.error.issues)]
}

/** The values in the form in which they are sent. */
export const filled = (values: CloudValues): CloudValues => ({
  ...values,
  stack_id: values.stack_id || null,
  // Border: the same fields, except that cleared numbers are filled in.
  data: numbersFilled(values.data) as CloudValues['data'],
})
/** The same values, typed as input of the schema. */
export const inputOf = (values: CloudValues): z.input<typeof CloudClusterInput> => filled(values)

/**
 * Only the values that affect the price, so that an incomplete name does not hide it. Null while these values are
 * invalid.
 */
export function costOf(values: CloudValues): CloudClusterInput | null {
  const { network, server, node, disks } = values.data
  if (!node.group.every(({ count }) => isNodeCount(count))) return null
  const parsed = CloudClusterInput.safeParse({
    name: 'Price',
    provider: values.provider,
    credential_id: UNCHOSEN,
    data: numbersFilled({
      network: { region_id: network.region_id, subnet_id: network.subnet_id },
      server,
      node,
      // A disk of size 0 already exists and adds no cost.
      disks: disks.filter(({ name, size }) => name !== '' && size !== 0),
    }),
  })
  return parsed.success ? parsed.data : null
}
