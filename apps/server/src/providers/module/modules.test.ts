import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import { clusterOf, deploymentOf } from '../../../test/support/modules/deployment'
import { infrastructures } from '../../../test/support/modules/infrastructures'
import {
  textsIn,
  blocksOf,
  schemaErrors,
  type ProviderSchema,
} from '../../../test/support/modules/module-schema'
import aws from '../aws/schema.json'
import azure from '../azure/schema.json'
import gcp from '../gcp/schema.json'
import maas from '../maas/schema.json'
import oracle from '../oracle/schema.json'
import { secretVariables } from './module-parts'

const schemas: Record<ProviderId, ProviderSchema> = { aws, azure, gcp, maas, oracle }

/** The functions that the simulated cloud can evaluate. */
const functions =
  'try coalesce merge concat length keys values lookup toset tomap tostring base64encode base64gzip jsonencode flatten one cidrsubnet format join split replace lower contains element'.split(
    ' ',
  )
/** The argument that tags a resource, by cloud. MAAS only has tags of machines, and OCI's attachments have none. */
const tags: Record<ProviderId, string> = {
  aws: 'tags',
  azure: 'tags',
  gcp: 'labels',
  oracle: 'freeform_tags',
  maas: 'none',
}

describe.each(providerIds)('the module of %s', (provider) => {
  const { module, variables } = infrastructures[provider]
  const schema = schemas[provider]
  const things = blocksOf(module)
  const texts = textsIn(module)

  it('conforms to its provider’s schema, without any other arguments', () => {
    expect(schemaErrors(module, schema)).toEqual([])
    expect(Object.keys(schema.types).toSorted()).toEqual(
      [...new Set(things.map(({ type }) => type))].toSorted(),
    )
    const [{ source } = { source: '' }] = Object.values(module.terraform.required_providers)
    expect(source).toBe(schema.provider)
  })

  it('tags everything that supports tags', () => {
    const untagged = things.filter(
      ({ type, body }) =>
        !type.startsWith('data.') &&
        schema.types[type]?.attributes.split(' ').includes(tags[provider]) &&
        !JSON.stringify(body[tags[provider]] ?? '').includes('var.tags'),
    )
    expect(untagged.map(({ address }) => address)).toEqual([])
  })

  it('identifies nodes by name and never by index', () => {
    expect(things.filter(({ body }) => 'count' in body)).toEqual([])
    const nodes = things.filter(({ address }) => address.endsWith('.node'))
    expect(nodes.length).toBeGreaterThan(0)
    expect(nodes.every(({ body }) => body.for_each === '${var.nodes}')).toBe(true)
  })

  it('does not recreate machines if the image or user data changes', () => {
    const machines = things.filter(({ body }) => JSON.stringify(body).includes('user_data'))
    expect(machines).toHaveLength(2)
    for (const { body } of machines) {
      const { ignore_changes: ignored = [] } = body.lifecycle as { ignore_changes?: string[] }
      const [where] = textsIn(body).filter(({ text }) => /var\.\w+_user_data/.test(text))
      expect(ignored).toContain(where?.at.split('.')[0])
    }
  })

  it('declares exactly the variables that it uses and receives', () => {
    const used = texts.flatMap(({ text }) => [...text.matchAll(/\bvar\.(\w+)/g)].map(([, name = '']) => name))
    const declared = Object.keys(module.variable).toSorted()
    expect([...new Set(used)].toSorted()).toEqual(declared)
    const deployment = deploymentOf(clusterOf(provider))
    const given = { ...variables(deployment), ...secretVariables(deployment) }
    // OCI's compartment is part of the credential.
    const byEnvironment = provider === 'oracle' ? ['compartment_id'] : []
    expect([...Object.keys(given), ...byEnvironment].toSorted()).toEqual(declared)
    const secret = Object.entries(module.variable).filter(([, { sensitive }]) => sensitive)
    expect(secret.map(([name]) => name).toSorted()).toEqual(
      Object.keys(secretVariables(deployment)).toSorted(),
    )
  })

  it('only uses functions that the simulated cloud can evaluate, and reads no file', () => {
    const called = texts
      .filter(({ at }) => !at.startsWith('variable') && !at.includes('startup-script'))
      .flatMap(({ text }) => [...text.matchAll(/([a-z0-9_]+)\(/g)].map(([, name]) => name))
    expect([...new Set(called)].filter((name) => !functions.includes(String(name)))).toEqual([])
  })

  it('contains neither user input nor secrets', () => {
    const evil = '${file("/etc/passwd")}'
    const input = clusterOf(provider)
    input.name = evil
    input.description = evil
    input.data.provision.script = evil
    const made = deploymentOf(input)
    const marked = { ...made.tags, note: evil }
    const deployment = { ...made, tags: marked, headUserData: evil, nodeUserData: { node1: evil } }
    const written = JSON.stringify(variables(deployment))
    expect(JSON.stringify(module)).not.toContain('passwd')
    // Google's labels do not allow these characters.
    if (provider !== 'gcp')
      expect(JSON.parse(written).tags).toMatchObject({ note: evil, flotilla_name: evil })
    expect(secretVariables(deployment)).toEqual({ head_user_data: evil, node_user_data: { node1: evil } })
    expect(written).not.toContain('cloud-config')
  })

  it('has no empty block, which the engine would reject', () => {
    const { data, resource } = module
    for (const types of [data ?? { there: { is: {} } }, resource])
      expect(Object.values(types).every((names) => Object.keys(names).length > 0)).toBe(true)
    expect(data && Object.keys(data).length).not.toBe(0)
  })
})

it.each(['aws', 'azure', 'gcp', 'oracle'] as const)(
  'only the allowed ranges can connect on %s',
  (provider) => {
    const { variables } = infrastructures[provider]
    const given = (ranges: string[], more: object = {}) => {
      const input = clusterOf(provider)
      Object.assign(input.data.network, { allowed_ranges: ranges, ...more })
      input.data.server.openvpn = true
      return variables(deploymentOf(input))
    }
    const everyone = JSON.stringify(given([]))
    expect(JSON.stringify(given(['0.0.0.0/0']))).toBe(everyone)
    const { ssh, vpn, ...rest } = given(['203.0.113.0/24', '198.51.100.7/32', '203.0.113.0/24'])
    for (const rule of [ssh, vpn]) {
      const ranges = Object.values(Object(rule)).flat()
      expect(ranges).toEqual(['203.0.113.0/24', '198.51.100.7/32'])
    }
    const before = given([])
    expect(rest).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name in rest)))
    // A firewall that the user supplies is not changed.
    const own = provider === 'gcp' ? { firewall_id: 'theirs' } : { security_group_id: 'theirs' }
    expect(given(['203.0.113.0/24'], own)).toMatchObject({ ssh: {}, vpn: {} })
  },
)

it.each([
  ['aws', 'instance_market_options'],
  ['azure', 'priority'],
  ['gcp', 'scheduling'],
  ['oracle', 'preemptible_instance_config'],
] as const)('only nodes of spot groups are spot machines on %s', (provider, argument) => {
  const { module, variables } = infrastructures[provider]
  const input = clusterOf(provider)
  const [group] = input.data.node.group
  if (!group) throw new Error('it has a group')
  input.data.node.group = [group, { ...group, spot: true, group_node_prefix: 'cheap' }]
  if (provider === 'oracle') Object.assign(group, { instance_id: 'VM.Standard.E4.Flex' })
  if (provider === 'oracle')
    Object.assign(input.data.node.group[1] ?? {}, { instance_id: 'VM.Standard.E4.Flex' })
  const { nodes } = variables(deploymentOf(input)) as { nodes: Record<string, { spot: boolean }> }
  expect(Object.entries(nodes).map(([name, { spot }]) => `${name} ${spot}`)).toEqual([
    'node1 false',
    'node2 false',
    'cheap1 true',
    'cheap2 true',
  ])
  const machines = blocksOf(module).filter(({ body }) => JSON.stringify(body).includes('each.value.spot'))
  expect(machines.map(({ address }) => address.split('.').at(-1))).toEqual(['node'])
  expect(JSON.stringify(machines[0]?.body)).toContain(argument)
})

it('preemptible bare metal machines are rejected on Oracle Cloud', () => {
  const input = clusterOf('oracle')
  Object.assign(input.data.node.group[0] ?? {}, { spot: true })
  expect(() => infrastructures.oracle.variables(deploymentOf(input))).toThrow(/no preemptible bare metal/)
})

it('the schema check finds what a provider would reject', () => {
  const { module } = infrastructures.azure
  const machines = module.resource.azurerm_linux_virtual_machine
  const { size: _, ...head } = machines?.head ?? {}
  const broken = {
    ...module,
    resource: {
      azurerm_linux_virtual_machine: {
        head: {
          ...head,
          color: 'red',
          os_disk: [{ caching: 'None' }],
          plan: 'free',
          secret: { certificate: [] },
        },
      },
      azurerm_lamp: { on: {} },
    },
    data: undefined,
  }
  expect(schemaErrors(broken, azure)).toEqual([
    'azurerm_linux_virtual_machine.head.size: is missing',
    'azurerm_linux_virtual_machine.head.os_disk: is one block',
    'azurerm_linux_virtual_machine.head.color: there is no such argument',
    'azurerm_linux_virtual_machine.head.plan: a block is not written as an attribute',
    'azurerm_linux_virtual_machine.head.secret: is a list of blocks',
    'azurerm_lamp.on: the schema does not have this type',
  ])
})

it('the engine gets its credentials from the environment', () => {
  expect(infrastructures.aws.environment({ access_key: 'AKIA', secret_key: 's' })).toEqual({
    AWS_ACCESS_KEY_ID: 'AKIA',
    AWS_SECRET_ACCESS_KEY: 's',
  })
  expect(
    infrastructures.aws.environment({ access_key: 'A', secret_key: 's', session_token: 't' }),
  ).toMatchObject({
    AWS_SESSION_TOKEN: 't',
  })
  const google = infrastructures.gcp.environment({ project_id: 'p', private_key: String.raw`a\nb` })
  expect(google.GOOGLE_PROJECT).toBe('p')
  expect(JSON.parse(google.GOOGLE_CREDENTIALS ?? '')).toMatchObject({ private_key: 'a\nb' })
  expect(infrastructures.oracle.environment({ key_file: 'pem', compartment_ocid: 'c' })).toMatchObject({
    OCI_PRIVATE_KEY: 'pem',
    TF_VAR_compartment_id: 'c',
  })
})
