import { describe, expect, it } from 'vitest'
import { CloudClusterInput, NodeGroup } from '@flotilla/contract/clusters/cloud'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { GPU_PARTITION_MODES } from '@flotilla/contract/limits'
import { refusedIn } from '@flotilla/contract/clusters/impossible/values'
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

/** The credential fields of the specification. */
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

  it('is called by its own id and asks for the credential fields of the specification', () => {
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

  it('tells of every field of a cluster that it is used, refused with a reason, or kept', () => {
    const described = new Set([
      ...provider.clusterFields.map(({ path: at }) => at),
      ...provider.groupFields.map(({ path: at }) => GROUP + at),
      ...provider.refusals.map(({ path: at }) => at),
      ...provider.clusterFields.flatMap(({ or }) => (or === undefined ? [] : [or])),
      ...Object.entries(clusterFields).flatMap(([at, { kept }]) => (kept === undefined ? [] : [at])),
    ])
    expect(leaves(everySet).filter((leaf) => !described.has(leaf))).toEqual([])
  })

  it('describes fields that the entities have, each once, and refuses none that it offers', () => {
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

  it('says what every field and refusal is about in whole words', () => {
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

  it('shows a field only by the value of one that it has', () => {
    const strangers = [provider.clusterFields, provider.groupFields, provider.stackFields].flatMap(
      (fields) => {
        const paths = new Set(['flexible', ...fields.map((field) => field.path)])
        return fields.flatMap(({ when }) => (when && !paths.has(when.path) ? [when.path] : []))
      },
    )
    expect(strangers).toEqual([])
  })

  it('offers the systems of the product, CentOS 7 first and marked', () => {
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

  it('fits the contract', async () => {
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

it('refuses what only one cloud has, everywhere else', () => {
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

it('names what is set and refused, and nothing that is only at its default', () => {
  const cluster = (data: object) =>
    CloudClusterInput.parse({ name: 'one', provider: 'gcp', credential_id: 'c1', data })
  for (const id of providerIds)
    expect(refusedIn(cloudProviders[id].refusals, cluster({ node: { group: [{}] } }))).toEqual([])
  const set = cluster({
    ec2_role: 'role',
    network: { region_id: 'us-west1' },
    node: { group: [{}, { efa: true }] },
  })
  expect(refusedIn(cloudProviders.gcp.refusals, set).map(([at]) => at)).toEqual([
    'data.ec2_role',
    'data.node.group.1.efa',
  ])
  expect(refusedIn(cloudProviders.aws.refusals, set)).toEqual([])
  const cut = cluster({ node: { group: [{ gpu_partition_mode: GPU_PARTITION_MODES[1] }] } })
  expect(refusedIn(cloudProviders.aws.refusals, cut)).toHaveLength(1)
  expect(refusedIn(cloudProviders.oracle.refusals, cut)).toEqual([])
})

it('has one definition of each stack field, whichever provider uses it', () => {
  for (const id of providerIds) {
    const told = new Set(
      [...cloudProviders[id].stackFields, ...cloudProviders[id].refusals].map((one) => one.path),
    )
    for (const at of Object.keys(stackFields)) expect(told.has(at), `${at} on ${id}`).toBe(true)
  }
})

it('says which systems have no public image as the modules know it', () => {
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

/** A cluster with one of everything, so that every path is there. */
const everySet = CloudClusterInput.parse({
  name: 'one',
  provider: 'aws',
  credential_id: 'c1',
  info: { vncTokenAuthentication: true, vncRemoteClient: true },
  data: { node: { group: [NodeGroup.parse({})] } },
})
/** Drawn by the form itself. */
const byTheForm =
  /^(name|description|provider|credential_id|stack_id|collaborators|forEveryone|data\.(disks|mounts|tags))$/
function leaves(value: unknown, at = ''): string[] {
  if (byTheForm.test(at)) return []
  if (Array.isArray(value) && value.length > 0) return leaves(value[0], at)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [at]
  return Object.entries(value).flatMap(([key, part]) => leaves(part, at === '' ? key : `${at}.${key}`))
}

it('says how many GPUs a node of BM.GPU4.8 has in each partition mode (15.16)', () => {
  const field = cloudProviders.oracle.groupFields.find(({ path: at }) => at === 'gpu_partition_mode')
  expect(field?.choices?.map(({ label }) => label)).toEqual([
    'Whole GPUs: 8 per node',
    'all-1g.5gb: 56 per node',
    'all-2g.10gb: 24 per node',
    'all-3g.20gb: 16 per node',
  ])
})
