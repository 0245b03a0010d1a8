import { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { expect, it } from 'vitest'
import { everyField } from '../every-field'
import { readYaml, yamlOf } from './cluster-yaml'
import type { LocalFile } from './cluster-yaml'

const problemsOf = (text: string) => {
  const read = readYaml(text)
  return 'problems' in read ? read.problems.map(({ line, text: problem }) => `${line}: ${problem}`) : []
}

it('keeps every field when exported and imported', () => {
  expect(readYaml(yamlOf(everyField))).toEqual({ values: everyField })
})

it('test values differ from every default, so that a lost field is detected', () => {
  const defaults = CloudClusterInput.parse({ name: 'no', provider: 'aws', credential_id: 'x' })
  const leaves = (value: unknown, at = ''): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${at}.${key}`))
      : [[at, JSON.stringify(value)]]
  const before = new Map(leaves(defaults))
  const same = leaves(everyField).filter(([path, value]) => before.get(path) === value)
  // The exceptions are the provider itself and the only secret field.
  expect(same.map(([path]) => path)).toEqual(['.provider', '.data.rhel_activation_key'])
})

it('includes empty fields but no secrets', () => {
  const secret = { ...everyField, data: { ...everyField.data, rhel_activation_key: 'top-secret' } }
  const text = yamlOf({ ...secret, description: '' })
  expect(text).toContain('description: ""')
  expect(text).not.toContain('top-secret')
  expect(text).toMatch(/^# .*\n# Secrets are not included/)
  expect(yamlOf(everyField, true)).toContain('simulated')
})

it('fills in missing fields', () => {
  const read = readYaml('name: Small\nprovider: gcp\ncredential_id: c1\n')
  expect(read).toEqual({
    values: CloudClusterInput.parse({ name: 'Small', provider: 'gcp', credential_id: 'c1' }),
  })
})

it('reports the line of every error', () => {
  const text = [
    'name: A',
    'provider: cloudy',
    'credential_id: c1',
    'data:',
    '  node:',
    '    group:',
    '      - count: many',
    '      - count: 5000',
    '  disks:',
    '    - name: data',
    '      size: 0',
  ].join('\n')
  expect(problemsOf(text)).toEqual([
    '1: name: Min character length is 2',
    '2: provider: Not one of the allowed values',
    '7: data.node.group.0.count: Enter a number',
    '8: data.node.group.1.count: At most 1000',
    '11: data.disks.0.size: Enter a size, or the ID of an existing disk',
  ])
})

it('reports unknown fields and invalid YAML', () => {
  expect(problemsOf('name: Fine\nprovider: aws\ncredential_id: c\ndata:\n  servr: {}\n')).toEqual([
    '5: data.servr: unknown field',
  ])
  expect(problemsOf('name: Fine\nprovider: aws\ncredential_id: c\nname: Twice\n')[0]).toMatch(/^4: /)
  expect(problemsOf('name: [unclosed\nprovider: aws')[0]).toMatch(/^[12]: /)
  expect(problemsOf('just words')).toEqual([
    'null: This is not a cluster. It needs fields such as name and provider',
  ])
  expect(problemsOf('provider: aws\n')).toEqual(['null: name: This field is required'])
})

/** An attached cluster in which every field differs from its default. */
const everyLocalField: LocalFile = {
  name: 'Blades',
  description: 'two\nlines: with a colon',
  provider: 'local',
  collaborators: ['grace'],
  forEveryone: true,
  data: {
    manager: 'slurm',
    transport: 'ssh',
    head: {
      host: 'head.example.org',
      port: 2022,
      username: 'hpc',
      key: 'given',
      accounts: 'sudo',
      binFolder: '/opt/slurm/bin',
    },
    virtualNodes: { prefix: 'blade', count: 3, cores: 2, gpus: 1 },
    partition: 'long',
    slurmConf: '/opt/slurm/slurm.conf',
  },
}

it('keeps every field of an attached cluster except the key', () => {
  expect(readYaml(yamlOf(everyLocalField))).toEqual({ values: everyLocalField })
  const { data } = everyLocalField
  const head = data.head && { ...data.head, privateKey: 'top-secret' }
  const text = yamlOf({ ...everyLocalField, data: { ...data, head } })
  expect(text).not.toContain('top-secret')
  expect(text).toMatch(/^# .*\n# Secrets are not included/)
})

it('reports the line of every error in an attached cluster', () => {
  const text = ['name: A', 'provider: local', 'data:', '  transport: pigeon', 'credential_id: c1'].join('\n')
  expect(problemsOf(text)).toEqual([
    '1: name: Min character length is 2',
    '4: data.transport: Not one of the allowed values',
  ])
  expect(problemsOf('name: Fine\nprovider: local\ncredential_id: c\ndata:\n  transport: local\n')).toEqual([
    '3: credential_id: unknown field',
  ])
})

it('opens a file without a credential and lets the user choose one', () => {
  const values = CloudClusterInput.parse({ name: 'Small', provider: 'gcp', credential_id: 'c1' })
  for (const text of ['name: Small\nprovider: gcp\n', 'name: Small\nprovider: gcp\ncredential_id: ""\n'])
    expect(readYaml(text)).toEqual({ values: { ...values, credential_id: '' } })
  expect(problemsOf('name: Small\nprovider: cloudy\n')).toEqual([
    '2: provider: Not one of the allowed values',
  ])
})
