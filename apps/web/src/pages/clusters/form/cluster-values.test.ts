import { expect, it } from 'vitest'
import { clusterSchema, inputOf, newCluster, valuesOf } from './cluster-values'
import type { ClusterValues } from './cluster-values'

const ssh = (head: Partial<ClusterValues['data']['head']> = {}): ClusterValues => ({
  ...newCluster,
  name: 'aurora',
  data: {
    ...newCluster.data,
    manager: 'slurm',
    transport: 'ssh',
    head: { ...newCluster.data.head, host: 'head.example.org', username: 'hpc', ...head },
  },
})

it('sends only the fields of the chosen transport', () => {
  const local = inputOf({ ...newCluster, name: 'mini' })
  expect(local.data).not.toHaveProperty('head')
  expect(local.data.virtualNodes).toEqual({ prefix: 'node', count: 2, cores: 1, gpus: 0 })
  const remote = inputOf(ssh())
  expect(remote.data).not.toHaveProperty('virtualNodes')
  expect(remote.data.head).not.toHaveProperty('privateKey')
})

it('ends a pasted key with a newline, as OpenSSH requires', () => {
  const input = inputOf(ssh({ key: 'given', privateKey: '  KEY  ' }))
  expect(input.data.head?.privateKey).toBe('KEY\n')
})

it('requires a key only while none is stored', () => {
  const values = ssh({ key: 'given' })
  expect(clusterSchema(true).safeParse(values).success).toBe(true)
  const [issue] = clusterSchema(false).safeParse(values).error?.issues ?? []
  expect(issue?.path).toEqual(['data', 'head', 'privateKey'])
})

it('reports errors on the form’s fields', () => {
  const { error } = clusterSchema(false).safeParse(ssh({ host: 'a b' }))
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['data.head.host'])
})

it('copies everything from a cluster or a file except the private key', () => {
  const { head, virtualNodes, ...data } = ssh({ key: 'given' }).data
  const { privateKey: _key, ...headSettings } = head
  const stored = { ...ssh(), data: { ...data, head: headSettings, virtualNodes: null } }
  expect(valuesOf(stored)).toEqual({
    ...ssh({ key: 'given' }),
    data: { ...data, head: { ...head, privateKey: '' }, virtualNodes: newCluster.data.virtualNodes },
  })
  expect(virtualNodes).toEqual(newCluster.data.virtualNodes)
})
