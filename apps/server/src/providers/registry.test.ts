import { describe, expect, it } from 'vitest'
import { CloudClusterInput, NodeGroup } from '@flotilla/contract/clusters/cloud'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { GPU_PARTITION_MODES } from '@flotilla/contract/limits'
import { problemsIn } from '@flotilla/contract/clusters/impossible/values'
import { Provider } from '@flotilla/contract/clouds/providers'
import * as awsImages from './aws/images'
import * as azureImages from './azure/images'
import { clusterFields } from './fields/cluster-fields'
import { GROUP } from './facts'
import * as gcpImages from './gcp/images'
import * as maasImages from './maas/images'
import * as oracleImages from './oracle/images'
import { stackFields } from './fields/stack-fields'
import { cloudProviders } from './registry'

/** The specification's credential fields. */
const credentialFields: Record<ProviderId, { required: string[]; optional: string[]; secret: string[] }> = {
  oracle: {
    required: ['user_ocid', 'tenancy_ocid', 'compartment_ocid', 'key_file', 'fingerprint'],
    optional: [],
    secret: ['key_file'],
  },
  aws: {
    required: ['access_key', 'secret_key'],
    optional: ['session_token'],
    secret: ['secret_key', 'session_token'],
  },
  gcp: {
    required: [
      'type',
      'project_id',
      'private_key_id',
      'private_key',
      'client_email',
      'client_id',
      'auth_uri',
      'token_uri',
      'auth_provider_x509_cert_url',
      'client_x509_cert_url',
    ],
    optional: [],
    secret: ['private_key'],
  },
  maas: { required: ['api_url', 'api_key'], optional: [], secret: ['api_key'] },
  azure: {
    required: ['client_id', 'client_secret', 'subscription_id', 'tenant_id'],
    optional: [],
    secret: ['client_secret'],
  },
}

describe.each(providerIds)('provider %s', (id) => {
  const provider = cloudProviders[id]

  it('is registered under its own id and has the specification’s credential fields', () => {
    expect(provider.id).toBe(id)
    const { required, optional, secret } = credentialFields[id]
    const named = (wanted: boolean) =>
      provider.authentications.filter((field) => field.required === wanted).map((field) => field.id)
    expect(named(true)).toEqual(required)
    expect(named(false)).toEqual(optional)
    expect(provider.authentications.filter(({ type }) => type === 'password').map((one) => one.id)).toEqual(
      secret,
    )
  })

  it('uses, refuses with a reason, or keeps every field of a cluster', () => {
    const described = new Set([
      ...provider.clusterFields.map(({ path: at }) => at),
      ...provider.groupFields.map(({ path: at }) => GROUP + at),
      ...provider.refusals.map(({ path: at }) => at),
      ...provider.clusterFields.flatMap(({ or }) => (or === undefined ? [] : [or])),
      ...Object.entries(clusterFields).flatMap(([at, { kept }]) => (kept === undefined ? [] : [at])),
    ])
    expect(leaves(everySet).filter((leaf) => !described.has(leaf))).toEqual([])
  })

  it('describes existing fields without duplicates, and refuses none of them', () => {
    const known = new Set(leaves(everySet))
    const cluster = [
      ...provider.clusterFields.map(({ path: at }) => at),
      ...provider.groupFields.map(({ path: at }) => GROUP + at),
    ]
    expect(cluster.filter((at) => !known.has(at))).toEqual([])
    expect(new Set(cluster).size).toBe(cluster.length)
    const refused = new Set(provider.refusals.map(({ path: at }) => at))
    expect(refused.size).toBe(provider.refusals.length)
    for (const at of [...cluster, ...provider.stackFields.map((field) => field.path)])
      expect(refused.has(at), at).toBe(false)
  })

  it('has a full text for every field and refusal', () => {
    for (const { path: at, label, help, kind, choices } of [
      ...provider.clusterFields,
      ...provider.groupFields,
      ...provider.stackFields,
    ]) {
      expect(label, at).toMatch(/^[A-Z]/)
      if (help !== undefined) expect(help, at).toMatch(/^\S.*[.\w]$/)
      if (kind === 'choice') expect(choices?.length, at).toBeGreaterThan(1)
    }
    for (const { path: at, reason } of provider.refusals) expect(reason, at).toMatch(/^[A-Z].*\.$/)
  })

  it('shows fields depending on existing fields only', () => {
    const strangers = [provider.clusterFields, provider.groupFields, provider.stackFields].flatMap(
      (fields) => {
        const paths = new Set(['flexible', ...fields.map((field) => field.path)])
        return fields.flatMap(({ when }) => (when && !paths.has(when.path) ? [when.path] : []))
      },
    )
    expect(strangers).toEqual([])
  })

  it('offers all operating systems, with CentOS 7 first and marked as end-of-life', () => {
    expect(provider.osTypes.map((type) => type.id)).toEqual([
      'centos-7',
      'rocky-8',
      'rocky-9',
      'ubuntu-22.04',
      'ubuntu-24.04',
      'debian-12',
    ])
    expect(provider.osTypes[0]).toMatchObject({ endOfLife: '2024-06-30' })
    expect(provider.osTypes.some(({ unavailable }) => unavailable === undefined)).toBe(true)
  })

  it('conforms to the contract', async () => {
    const { catalog, infrastructure: _module, driver: _driver, imageBuilder: _image, ...facts } = provider
    const found = await catalog()
    const shown = {
      ...facts,
      regions: found?.regions ?? [],
      instanceSizes: found?.sizes ?? [],
      catalog: found && { source: found.source, date: found.date },
      torqueSource: false,
      torquePackages: null,
      desktopDefaults: { vncTokenAuthentication: true, vncRemoteClient: false },
      consoleRanges: [],
      simulated: false,
    }
    expect(Provider.parse(shown)).toEqual(shown)
  })
})

it('fields that only one cloud has are refused by all others', () => {
  const only: [string, ProviderId][] = [
    ['data.node.group.efa', 'aws'],
    ['data.node.group.compact', 'gcp'],
    ['data.node.group.tier1', 'gcp'],
    ['data.node.group.rdma', 'oracle'],
    ['data.ec2_role', 'aws'],
    ['data.node.accelerator_type', 'gcp'],
    ['data.LPG', 'oracle'],
    ['data.node.group.gpu_partition_mode', 'oracle'],
    ['data.resource_group_id', 'azure'],
    ['fsr', 'aws'],
  ]
  for (const [at, has] of only)
    for (const id of providerIds)
      expect(
        cloudProviders[id].refusals.some(({ path: refused }) => refused === at),
        `${at} on ${id}`,
      ).toBe(id !== has)
})

it('fields that are set and refused are reported, unless they have their defaults', () => {
  const cluster = (data: object) =>
    CloudClusterInput.parse({ name: 'one', provider: 'gcp', credential_id: 'c1', data })
  for (const id of providerIds)
    expect(problemsIn(cloudProviders[id].refusals, cluster({ node: { group: [{}] } }))).toEqual([])
  const set = cluster({
    ec2_role: 'role',
    network: { region_id: 'us-west1' },
    node: { group: [{}, { efa: true }] },
  })
  expect(problemsIn(cloudProviders.gcp.refusals, set).map(([at]) => at)).toEqual([
    'data.ec2_role',
    'data.node.group.1.efa',
  ])
  expect(problemsIn(cloudProviders.aws.refusals, set)).toEqual([])
  const cut = cluster({ node: { group: [{ gpu_partition_mode: GPU_PARTITION_MODES[1] }] } })
  expect(problemsIn(cloudProviders.aws.refusals, cut)).toHaveLength(1)
  expect(problemsIn(cloudProviders.oracle.refusals, cut)).toEqual([])
})

it('every provider describes or refuses every stack field', () => {
  for (const id of providerIds) {
    const described = new Set(
      [...cloudProviders[id].stackFields, ...cloudProviders[id].refusals].map((one) => one.path),
    )
    for (const at of Object.keys(stackFields)) expect(described.has(at), `${at} on ${id}`).toBe(true)
  }
})

it('systems without a public image match the modules', () => {
  const images = {
    aws: awsImages.publicImages,
    azure: azureImages.publicImages,
    gcp: gcpImages.publicImages,
    oracle: oracleImages.publicImages,
    maas: maasImages.publicImages,
  }
  for (const id of providerIds)
    for (const { id: system, unavailable } of cloudProviders[id].osTypes)
      expect(images[id][system] === undefined, `${system} on ${id}`).toBe(unavailable !== undefined)
})

/** A cluster with one element in each list, so that every path exists. */
const everySet = CloudClusterInput.parse({
  name: 'one',
  provider: 'aws',
  credential_id: 'c1',
  info: { vncTokenAuthentication: true, vncRemoteClient: true },
  data: { node: { group: [NodeGroup.parse({})] } },
})
/** Fields that the form renders on its own. */
const byTheForm =
  /^(name|description|provider|credential_id|stack_id|collaborators|forEveryone|data\.(disks|mounts|tags))$/
function leaves(value: unknown, at = ''): string[] {
  if (byTheForm.test(at)) return []
  if (Array.isArray(value) && value.length > 0) return leaves(value[0], at)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [at]
  return Object.entries(value).flatMap(([key, part]) => leaves(part, at === '' ? key : `${at}.${key}`))
}

it('the number of GPUs of a BM.GPU4.8 node in each partition mode (15.16)', () => {
  const field = cloudProviders.oracle.groupFields.find(({ path: at }) => at === 'gpu_partition_mode')
  expect(field?.choices?.map(({ label }) => label)).toEqual([
    'Whole GPUs: 8 per node',
    'all-1g.5gb: 56 per node',
    'all-2g.10gb: 24 per node',
    'all-3g.20gb: 16 per node',
  ])
})
