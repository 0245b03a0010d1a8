import { preselected } from '@flotilla/contract/clusters/preselected'
import { isShown } from '../../../../clouds/field-rules'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { Field } from '@flotilla/contract/clouds/providers'
import { expect, it } from 'vitest'
import { errorsByPath } from '../../../../forms/zod-resolver'
import { everyField } from '../../every-field'
import {
  carriedTo,
  cloudSchema,
  copyOf,
  costOf,
  inTheirFields,
  inputOf,
  newGroup,
  newValues,
  problemsOf,
  valuesOf,
} from './cloud-values'
import type { CloudValues } from './cloud-values'
import { makesNetwork, missingIn, nodeNames, pathsWithErrors, stepOf, whenDeployed } from './field-rules'
import { testProvider } from '../../../../clouds/test-provider'

const field = (change: Partial<Field> & Pick<Field, 'path' | 'step'>): Field => ({
  label: change.path,
  kind: 'text',
  ...change,
})
const provider = testProvider({
  id: 'oracle',
  name: 'Oracle',
  regions: [{ name: 'Here', region_id: 'here' }],
  instanceSizes: [
    { name: 'Flex', instance_id: 'Flex', cores: 2, flexible: true },
    { name: 'Fixed', instance_id: 'Fixed', cores: 4 },
  ],
  clusterFields: [
    field({
      path: 'data.network.region_id',
      step: 'basics',
      kind: 'region',
      label: 'Region',
      required: true,
    }),
    field({ path: 'data.server.instance_id', step: 'head', kind: 'size', label: 'Size', required: true }),
    field({
      path: 'data.server.ocpus',
      step: 'head',
      kind: 'number',
      unit: 'OCPUs',
      max: 80,
      when: { path: 'flexible', is: ['true'] },
    }),
    field({ path: 'data.manager', step: 'software', kind: 'choice' }),
    field({ path: 'data.moab.ip', step: 'software', when: { path: 'data.manager', is: ['torque'] } }),
    field({ path: 'data.network.allowed_ranges', step: 'network', kind: 'ranges', required: true }),
  ],
  groupFields: [
    field({ path: 'instance_id', step: 'nodes', kind: 'size', label: 'Size', required: true }),
    field({ path: 'count', step: 'nodes', kind: 'number', label: 'Nodes', required: true }),
  ],
  osTypes: [
    { id: 'centos-7', name: 'CentOS 7', endOfLife: '2024-06-30', unavailable: 'no image' },
    { id: 'ubuntu-22.04', name: 'Ubuntu 22.04' },
  ],
  consoleRanges: ['203.0.113.7/32'],
})
const filled: CloudValues = { ...newValues(provider), name: 'Aurora', credential_id: 'c1' }

it("starts with the specification's defaults", () => {
  const { data, info } = newValues(provider)
  expect(info).toMatchObject({ node_prefix: 'node', bursting: { burstOnDeploy: false, mode: 'min' } })
  expect(data).toMatchObject({ share: 'nfs', node: { idle_purge_s: 600 } })
  expect(data.node.group).toEqual([newGroup()])
  expect(newGroup()).toMatchObject({ count: 1, efa: false, gpu_partition_mode: 'all-disabled' })
})

it('preselects the best deployable operating system and resource manager, with the reason', () => {
  const osTypes = [
    { id: 'centos-7', name: 'CentOS 7', endOfLife: '2024-06-30' },
    { id: 'rocky-9', name: 'Rocky Linux 9' },
    { id: 'ubuntu-22.04', name: 'Ubuntu 22.04' },
    { id: 'ubuntu-24.04', name: 'Ubuntu 24.04' },
  ]
  const of = (torquePackages: 'deb' | 'rpm' | null, systems = osTypes) =>
    preselected({ ...provider, osTypes: systems, torquePackages })
  expect(of(null)).toMatchObject({
    osType: 'ubuntu-24.04',
    manager: 'slurm',
    managerReason: 'Slurm is preselected: this site has no Torque packages.',
  })
  expect(of('deb')).toMatchObject({ osType: 'ubuntu-24.04', manager: 'torque' })
  expect(of('rpm')).toMatchObject({
    osType: 'rocky-9',
    manager: 'torque',
    osReason:
      'Rocky Linux 9 is preselected: it is supported, Oracle has an image for it, and this site has Torque packages for it.',
  })
  // Without a system that the Torque packages support, Slurm is preselected.
  expect(of('rpm', osTypes.slice(2))).toMatchObject({ osType: 'ubuntu-24.04', manager: 'slurm' })
  expect(newValues(provider)).toMatchObject({
    info: { 'os-type': 'ubuntu-22.04' },
    data: { manager: 'slurm' },
  })
})

it('reports a value that can be saved but not deployed on its field', () => {
  const os = { ...filled, info: { ...filled.info, 'os-type': 'centos-7' } }
  expect(problemsOf(cloudSchema(provider), os)).toEqual([['info.os-type', 'no image']])
  // With a stack, the image comes from the stack.
  expect(problemsOf(cloudSchema(provider), { ...os, stack_id: 's1' })).toEqual([])
})

it('moves zone_id into the availability domain field of Oracle', () => {
  const zone = { path: 'data.network.availability_domain', or: 'data.network.zone_id' }
  const described = { clusterFields: [field({ ...zone, step: 'basics', kind: 'zone' })] }
  const network = { ...filled.data.network, zone_id: 'PHX-AD-1' }
  const moved = inTheirFields(described, { ...filled, data: { ...filled.data, network } })
  expect(moved.data.network).toMatchObject({ zone_id: '', availability_domain: 'PHX-AD-1' })
})

it('requires only a name and a credential to save', () => {
  expect(cloudSchema(provider).safeParse(filled).success).toBe(true)
  const { error } = cloudSchema(provider).safeParse(newValues(provider))
  expect([...errorsByPath(error?.issues ?? [])]).toEqual([
    ['name', 'Min character length is 2'],
    ['credential_id', 'Choose a credential'],
  ])
})

it('rejects values outside a field’s limits, even of a hidden field', () => {
  const server = { ...filled.data.server, instance_id: 'Fixed', ocpus: 81 }
  const { error } = cloudSchema(provider).safeParse({ ...filled, data: { ...filled.data, server } })
  expect([...errorsByPath(error?.issues ?? [])]).toEqual([['data.server.ocpus', 'At most 80 OCPUs']])
})

it('treats an empty number as 0 and an empty stack as null', () => {
  // The form's values while the user types a number.
  const typing = JSON.parse(
    JSON.stringify(filled)
      .replace('"volume_size":0', '"volume_size":null')
      .replace('"stack_id":null', '"stack_id":""'),
  ) as CloudValues
  const input = inputOf(typing)
  expect(input.stack_id).toBeNull()
  expect(input.data?.node?.volume_size).toBe(0)
  expect(cloudSchema(provider).safeParse(typing).success).toBe(true)
})

it('lists what is missing before it can be deployed', () => {
  expect([...missingIn(provider, filled)]).toEqual([
    ['data.network.region_id', 'Region is required'],
    ['data.server.instance_id', 'Size is required'],
    ['data.node.group.0.instance_id', 'Size for group 1 is required'],
  ])
})

it('finds the step of every error', () => {
  expect(stepOf(provider, 'data.server.instance_id')).toBe('head')
  expect(stepOf(provider, 'data.node.group.0.count')).toBe('nodes')
  expect(stepOf(provider, 'data.disks.1.name')).toBe('head')
  expect(stepOf(provider, 'data.tags.cost')).toBe('advanced')
  expect(stepOf(provider, 'data.network.vpc_id')).toBeNull()
  expect(
    pathsWithErrors({
      name: { message: 'x' },
      data: { node: { group: [undefined, { count: { message: 'y' } }] } },
    }),
  ).toEqual(['name', 'data.node.group.1.count'])
})

it('shows fields that depend on a flexible size or another field', () => {
  const [, , ocpus, , moab] = provider.clusterFields
  if (!ocpus || !moab) throw new Error('expected the fields above')
  expect(isShown(ocpus, 'Flex', provider)).toBe(true)
  expect(isShown(ocpus, 'Fixed', provider)).toBe(false)
  expect(isShown(moab, 'torque', provider)).toBe(true)
  expect(isShown(moab, 'slurm', provider)).toBe(false)
})

it('numbers nodes consecutively across groups that share a prefix', () => {
  const group = [
    { ...newGroup(), count: 2 },
    { ...newGroup(), count: 1, group_node_prefix: 'gpu' },
    { ...newGroup(), count: 3 },
    { ...newGroup(), count: 0 },
  ]
  const values = { ...filled, data: { ...filled.data, node: { ...filled.data.node, group } } }
  expect(group.map((_, at) => nodeNames(values, at))).toEqual([
    'node1 to node2',
    'gpu1',
    'node3 to node5',
    'no nodes',
  ])
})

it.each([-3, 1.5, Number.NaN, null])(
  'shows no node names and requests no price while a group has %s nodes',
  (count) => {
    // Border: a cleared field holds null, whatever its type says.
    const group = [{ ...newGroup(), count: count as number }, newGroup()]
    const values = { ...filled, data: { ...filled.data, node: { ...filled.data.node, group } } }
    expect(group.map((_, at) => nodeNames(values, at))).toEqual(['', ''])
    expect(costOf(values)).toBeNull()
  },
)

it('sends only what affects the price', () => {
  const cost = costOf({ ...filled, name: '', info: { ...filled.info, prefix: 'Not Allowed' } })
  expect(cost).toMatchObject({ name: 'Price', data: { node: { group: [{ count: 1 }] } } })
  const withDisk = (size: number) => ({
    ...filled,
    data: { ...filled.data, disks: [{ name: 'data', size, type: '', id: '' }] },
  })
  expect(costOf(withDisk(NaN))).toBeNull()
  // A size of 0 is an existing disk whose ID is not entered yet.
  expect(costOf(withDisk(0))).toMatchObject({ data: { disks: [] } })
})

it('keeps every field of a stored cluster, and of its copy', () => {
  const stored = {
    ...everyField,
    id: 'x',
    info: { ...everyField.info, state: 'saved', since: 0, cause: null },
    machines: [],
    // Border: only the fields that the form reads.
  } as unknown as CloudCluster
  expect(valuesOf(stored)).toEqual(everyField)
  expect(copyOf(stored)).toEqual({ ...everyField, name: `${everyField.name} copy` })
  expect(copyOf({ ...stored, name: 'x'.repeat(64) }).name).toHaveLength(64)
})

it('carries over the fields that mean the same at another provider', () => {
  const carried = carriedTo(provider, { ...everyField, info: { ...everyField.info, 'os-type': 'centos-7' } })
  expect(carried).toMatchObject({
    provider: 'oracle',
    name: everyField.name,
    credential_id: '',
    info: { 'os-type': 'ubuntu-22.04', node_prefix: everyField.info.node_prefix },
    data: { tags: everyField.data.tags, packages: everyField.data.packages, network: { region_id: '' } },
  })
})

it('allows only the console to connect, and requires ranges if its address is unknown', () => {
  const of = (ranges: string[]) => ({ ...provider, consoleRanges: ranges })
  const rangesOf = ({ data }: CloudValues) => data.network.allowed_ranges
  expect(rangesOf(newValues(provider))).toEqual(['203.0.113.7/32'])
  expect(rangesOf(carriedTo(provider, newValues(of(['198.51.100.0/24']))))).toEqual(['198.51.100.0/24'])
  expect(rangesOf(newValues({ ...provider, clusterFields: [] }))).toEqual([])
  const unknown = newValues(of([]))
  expect(missingIn(provider, unknown).get('data.network.allowed_ranges')).toBe(
    'Enter who can connect, or allow everyone',
  )
  unknown.data.network.allowed_ranges = ['1.2.3.4']
  expect(problemsOf(cloudSchema(provider), { ...unknown, name: 'One', credential_id: 'c' })).toEqual([
    ['data.network.allowed_ranges', expect.stringContaining('1.2.3.4: enter a range')],
  ])
})

it.each([
  [-1, 'At least 0'],
  [1.5, 'Enter a whole number'],
  [99_999, 'At most 1000'],
])('reports a count of %s nodes on the group’s field: %s', (count, message) => {
  const values = { ...newValues(provider), name: 'Good', credential_id: 'c1' }
  values.data.node.group = [{ ...newGroup(), count }]
  const problems = problemsOf(cloudSchema(provider), values)
  expect(problems).toEqual([['data.node.group.0.count', message]])
  expect(stepOf(provider, 'data.node.group.0.count')).toBe('nodes')
})

it('reports too many nodes or tags, and an invalid region, on their fields', () => {
  const values = { ...newValues(provider), name: 'Good', credential_id: 'c1' }
  values.data.node.group = Array.from({ length: 6 }, () => ({ ...newGroup(), count: 1000 }))
  expect(problemsOf(cloudSchema(provider), values)).toContainEqual([
    'data.node.group.5.count',
    'At most 5000 nodes in total',
  ])
  values.data.node.group = []
  values.data.tags = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`tag${at}`, 'x']))
  values.data.network.region_id = 'x.evil.com/#'
  const problems = problemsOf(cloudSchema(provider), values)
  expect(problems).toContainEqual(['data.tags', 'At most 50 tags'])
  expect(problems).toContainEqual(['data.network.region_id', 'Enter a region such as eu-west-1'])
})

it('explains the effect of editing a deployed cluster', () => {
  expect(whenDeployed({ path: 'data.network.region_id', kind: 'region' }).locked).toBe(true)
  expect(whenDeployed({ path: 'data.network.zone_id', kind: 'zone' }).locked).toBe(true)
  expect(whenDeployed({ path: 'info.os-type', kind: 'osType' })).toEqual({
    hint: 'Changes affect only new machines.',
    locked: false,
  })
  expect(whenDeployed({ path: 'data.tags', kind: 'tags' })).toEqual({ locked: false })
  expect(makesNetwork(provider)).toBe(true)
  expect(makesNetwork({ clusterFields: [] })).toBe(false)
})
