import { CloudClusterInput, NodeGroup } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { clusterOutsideLimits } from '@flotilla/contract/clouds/field-limits'
import { OS_TYPE } from '@flotilla/contract/limits'
import type { Provider } from '@flotilla/contract/clouds/providers'
import type { FieldPath } from 'react-hook-form'
import * as z from 'zod/mini'
import { issueText } from '../../../forms/issue-text'
import type { ZodForm } from '../../../forms/use-zod-form'
import { errorsByPath } from '../../../forms/zod-resolver'
import { copyName } from '../cluster-text'
import { isNodeCount } from './node-count'

/** The form holds every field of the entity, drawn or not: what one provider does not show another one or a file may. */
export type CloudValues = CloudClusterInput
export type CloudForm = ZodForm<CloudValues>

/** Border: field descriptions come from the server, whose own test checks every path against the entity's schema. */
export const pathIn = (path: string) => path as FieldPath<CloudValues>

/** A field that was emptied and not filled again. */
const UNCHOSEN = 'none'

export const newGroup = (): NodeGroup => NodeGroup.parse({})

/** The specification's defaults, which are the schema's. A system that this cloud has no image of gives way to one that it has. */
export function newValues({ id, osTypes }: Pick<Provider, 'id' | 'osTypes'>): CloudValues {
  const values = CloudClusterInput.parse({ name: 'New', provider: id, credential_id: UNCHOSEN })
  const usable = osTypes.filter(({ unavailable }) => unavailable === undefined)
  const osType = usable.find((one) => one.id === OS_TYPE) ?? usable[0]
  return {
    ...values,
    name: '',
    credential_id: '',
    info: { ...values.info, 'os-type': osType?.id ?? OS_TYPE },
    data: { ...values.data, node: { ...values.data.node, group: [newGroup()] } },
  }
}

/** A stored cluster as it was chosen. What is secret never comes back from the server: an empty field keeps it. */
export function valuesOf(cluster: CloudCluster): CloudValues {
  const values = CloudClusterInput.parse({ ...cluster, credential_id: cluster.credential_id ?? UNCHOSEN })
  return { ...values, credential_id: cluster.credential_id ?? '' }
}

export const copyOf = (cluster: CloudCluster): CloudValues => ({
  ...valuesOf(cluster),
  name: copyName(cluster.name),
})

/** What was typed for one cloud and means the same in another. */
export function carriedTo(provider: Provider, from: CloudValues): CloudValues {
  const fresh = newValues(provider)
  const { name, description, collaborators, forEveryone, info } = from
  const { manager, share, packages, provision, moab, tags } = from.data
  const osType = provider.osTypes.find(({ id }) => id === info['os-type'])
  return {
    ...fresh,
    name,
    description,
    collaborators,
    forEveryone,
    info: { ...info, 'os-type': osType?.unavailable === undefined ? info['os-type'] : fresh.info['os-type'] },
    data: { ...fresh.data, manager, share, packages, provision, moab, tags },
  }
}

/** An emptied number field holds null until it is left; nothing means 0 in all of them. */
const numbersFilled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(numbersFilled)
  if (typeof value !== 'object' || value === null) return value === null ? 0 : value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, numbersFilled(one)]))
}

const Choices = z.extend(CloudClusterInput, {
  credential_id: z.string().check(z.minLength(1, 'Choose a credential'), z.maxLength(64)),
})
/** The contract's schema behind the form's fields, and the provider's limits. Saving an unfinished cluster is fine. */
export const cloudSchema = (provider: Pick<Provider, 'clusterFields' | 'groupFields' | 'instanceSizes'>) =>
  z.pipe(z.transform(inputOf), Choices).check(
    z.superRefine((values, context) => {
      for (const [path, message] of clusterOutsideLimits(provider, values))
        context.addIssue({ code: 'custom', message, path: path.split('.'), input: undefined })
    }),
  )

/** What is wrong with what the form holds, by path. */
export const problemsOf = (
  schema: ReturnType<typeof cloudSchema>,
  values: CloudValues,
): [string, string][] => {
  const parsed = schema.safeParse(values, { error: issueText })
  return parsed.success ? [] : [...errorsByPath(parsed.error.issues)]
}

/** What is sent of what the form holds. */
export function inputOf(values: CloudValues): z.input<typeof CloudClusterInput> {
  return {
    ...values,
    stack_id: values.stack_id || null,
    // Border: the same fields, of which only the emptied numbers are others.
    data: numbersFilled(values.data) as CloudValues['data'],
  }
}

/** Only what costs, so that a half-written name keeps nobody from seeing the price; null while that is not right. */
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
      disks: disks.filter(({ name }) => name !== ''),
    }),
  })
  return parsed.success ? parsed.data : null
}
