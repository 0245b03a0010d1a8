import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clusterOf, deploymentOf } from '../../../test/support/modules/deployment'
import { infrastructures } from '../../../test/support/modules/infrastructures'
import { Failure } from '../../fail'
import { secretVariables } from '../module/module-parts'
import { cloudProviders } from '../registry'

const file = path.join(import.meta.dirname, '../../../../../docs/fields.md')
/** The part of the document about clusters. */
async function written(): Promise<{ lines: string[]; reasons: string }> {
  const [, text = ''] = (await readFile(file, 'utf8')).split('\n## Clusters\n')
  const [clusters = ''] = text.split('\n## ')
  const [rows = '', reasons = ''] = clusters.split('\n### Kept, but without effect in the cloud\n')
  return { lines: rows.split('\n'), reasons }
}
/** The order of the columns in the table. */
const columns: ProviderId[] = ['aws', 'azure', 'gcp', 'oracle', 'maas']

/** The parts of JSON Schema that are used. */
interface Node {
  type?: string
  properties?: Record<string, Node>
  items?: Node
  enum?: string[]
  anyOf?: Node[]
}
interface Leaf {
  /** The path in the format of refusals, without the indexes of lists. */
  path: string
  node: Node
}

/** Every field, derived from the schema, so that new fields are included automatically. */
function leaves(node: Node, at: string[] = []): Leaf[] {
  if (node.properties)
    return Object.entries(node.properties).flatMap(([name, one]) => leaves(one, [...at, name]))
  if (node.type === 'array' && node.items?.properties) return leaves(node.items, at)
  return [{ path: at.join('.'), node }]
}
// zod's own type is wider than what is used here.
const fields = leaves(z.toJSONSchema(CloudClusterInput, { io: 'input' }) as Node)

/** Valid values of fields that do not accept any text. */
const values: Record<string, unknown> = {
  provider: 'aws',
  credential_id: '2',
  stack_id: '5',
  collaborators: ['someone'],
  'data.tags': { team: 'x' },
  'data.packages': ['htop'],
  'data.disks.size': 200,
  'info.os-type': 'ubuntu-24.04',
  'data.server.disk_type': '20',
  'data.node.disk_type': '20',
  'data.disks.type': '20',
  'data.vcn_cidr': '10.9.0.0/16',
  'data.local_cidr': '192.168.0.0/16',
  'data.network.allowed_ranges': ['203.0.113.0/24'],
}

/** Other fields that have to be set for a field to have an effect. */
const together: Partial<Record<string, (data: CloudClusterInput['data'], provider: ProviderId) => void>> = {
  'data.node.accelerator_count': ({ node }) => (node.accelerator_type = 'nvidia-tesla-t4'),
  'data.server.accelerator_count': ({ server }) => (server.accelerator_type = 'nvidia-tesla-t4'),
  'data.mounts.type': withMount,
  'data.mounts.source': withMount,
  'data.mounts.path': withMount,
  'data.mounts.options': withMount,
  'data.LPG': (data) => (data.local_cidr = '10.1.0.0/16'),
  'data.local_cidr': (data) => {
    data.LPG = 'ocid1.localpeeringgateway.x'
    data.local_cidr = '10.1.0.0/16'
  },
  'data.image_resource_group_name': (data) => {
    data.server.image_name = 'golden'
    data.resource_group_id = 'theirs'
  },
  'data.marketplace_image_reference.offer': withPublisher,
  'data.marketplace_image_reference.sku': withPublisher,
  'data.marketplace_image_reference.marketplace_image_version': withPublisher,
  'data.server.image_name': (data) => (data.image_resource_group_name = 'images'),
  stack_id: (data) => (data.image_resource_group_name = 'images'),
  // The sample is bare metal.
  'data.node.group.spot': ({ node }, provider) => {
    for (const group of provider === 'oracle' ? node.group : []) group.instance_id = 'VM.Standard.E4.Flex'
  },
  'data.network.zone_id': ({ network }, provider) => {
    // zone_id then takes the place of the availability domain.
    if (provider === 'oracle') Object.assign(network, { availability_domain: '', zone_id: 'PHX-AD-2' })
  },
  'data.network.subnet_id': withInterface,
  'data.network.private_static_ip': (data, provider) => {
    withInterface(data, provider)
    if (provider === 'maas') data.network.subnet_id = '10.0.0.0/24'
  },
}
function withPublisher({ marketplace_image_reference: reference }: CloudClusterInput['data']) {
  reference.publisher = 'them'
}
function withMount(data: CloudClusterInput['data']) {
  data.mounts = [{ type: 'nfs', source: 'fs:/', path: '/data', options: '' }]
}
function withInterface({ network }: CloudClusterInput['data'], provider: ProviderId) {
  if (provider === 'maas') network.network_id = 'eth0'
}

const other = (node: Node, before: unknown): unknown => {
  const [first = node] = node.anyOf ?? []
  if (node.enum) return node.enum.find((one) => one !== before)
  if (first.type === 'boolean') return before !== true
  if (first.type === 'integer' || first.type === 'number') return Number(before) + 3
  return 'changed'
}

/** A copy of the entity with one field set; lists on the path have one element. */
function set(entity: unknown, [key = '', ...rest]: string[], node: Node, value: unknown): unknown {
  if (Array.isArray(entity)) return entity.map((one) => set(one, [key, ...rest], node, value))
  const before: unknown = Reflect.get(Object(entity), key)
  const after = rest.length > 0 ? set(before, rest, node, value) : (value ?? other(node, before))
  return { ...Object(entity), [key]: after }
}

/** The effect of a cluster's field: what it would change in the cloud, or that it is refused. */
async function shows(provider: ProviderId, { path: at, node }: Leaf): Promise<string> {
  if (
    cloudProviders[provider].refusals.some(
      (refusal) => refusal.path === at || at.startsWith(`${refusal.path}.`),
    )
  )
    return 'refused'
  const base = clusterOf(provider)
  together[at]?.(base.data, provider)
  // The field is set by a path from the schema itself.
  const changed = set(base, at.split('.'), node, values[at]) as CloudClusterInput
  const { variables } = infrastructures[provider]
  const catalog = await cloudProviders[provider].catalog()
  const before = deploymentOf(base, catalog)
  const after = deploymentOf(changed, catalog)
  const differs = (of: (deployment: typeof before) => unknown) =>
    JSON.stringify(of(before)) !== JSON.stringify(of(after))
  try {
    const where = [
      ...(differs(variables) ? ['module'] : []),
      ...(differs(secretVariables) ? ['cloud-init'] : []),
    ]
    return where.join(', ') || 'kept'
  } catch (error) {
    if (error instanceof Failure) return 'refused'
    throw error
  }
}

const table = await Promise.all(
  fields.map(async (leaf) => ({
    path: leaf.path,
    where: await Promise.all(columns.map((provider) => shows(provider, leaf))),
  })),
)

describe('every field of a cluster', () => {
  it('is in docs/fields.md with its effect', async () => {
    const { lines } = await written()
    const rows = table.map(({ path: at, where }) => `| \`${at}\` | ${where.join(' | ')} |`)
    const missing = rows.filter((row) => !lines.includes(row))
    expect(missing, `These rows belong in docs/fields.md:\n${missing.join('\n')}`).toEqual([])
    expect(lines.filter((line) => line.startsWith('| `') && !rows.includes(line))).toEqual([])
  })

  it('without an effect has its reason there', async () => {
    const { reasons } = await written()
    const idle = table.filter(({ where }) => where.every((one) => one === 'kept' || one === 'refused'))
    const given = [...reasons.matchAll(/^\| `([\w.-]+)` \| .{10,} \|$/gm)].map(([, at = '']) => at)
    expect(given.toSorted()).toEqual(idle.map(({ path: at }) => at).toSorted())
  })
})

it('the table has every provider', () => {
  expect(columns.toSorted()).toEqual([...providerIds].toSorted())
})
