import { clusterBlockedReason } from '@flotilla/contract/clusters/states'
import { expect, it } from 'vitest'
import { keylessFirst, offers, submitBlockedReason } from './offer'

const cluster = (name: string, more: object = {}) => ({
  name,
  info: { state: 'available' as const, since: 0, cause: null },
  nodes: { available: 4, busy: 0, down: 0, offline: 0, total: 4, unknown: 0 },
  largestNode: { cores: 16, gpus: 2 },
  submitBlockedReason: null,
  ...more,
})
const job = (more: object = {}) => ({ nodes: 2, cores: 8, gpus: 0, ...more })
const blockedReason = (one: ReturnType<typeof cluster>, needs = job()) => submitBlockedReason(needs, one)
const inState = (state: string) => ({ info: { state, since: 0, cause: null } })

it('offers clusters that are available and large enough', () => {
  expect(blockedReason(cluster('a'))).toBeNull()
  expect(blockedReason(cluster('a'), job({ nodes: 4, cores: 16, gpus: 2 }))).toBeNull()
  expect(submitBlockedReason(null, cluster('a'))).toBeNull()
})

it('gives the reason why a cluster cannot run the job', () => {
  expect(blockedReason(cluster('a', inState('stopped')))).toBe(clusterBlockedReason('submit', 'stopped'))
  expect(blockedReason(cluster('a', { submitBlockedReason: 'You have no account on this cluster' }))).toBe(
    'You have no account on this cluster',
  )
  expect(blockedReason(cluster('a'), job({ nodes: 5 }))).toBe('It has 4 nodes; the job needs 5')
  expect(blockedReason(cluster('a'), job({ cores: 17 }))).toBe(
    'Its largest node has 16 cores; the job needs 17 per node',
  )
  expect(blockedReason(cluster('a'), job({ gpus: 4 }))).toBe(
    'Its largest node has 2 GPUs; the job needs 4 per node',
  )
  expect(blockedReason(cluster('a', { largestNode: { cores: 8, gpus: 0 } }), job({ gpus: 1 }))).toBe(
    'It has no GPUs; the job needs 1 per node',
  )
})

it('gives the state as the first reason, with or without a job', () => {
  const failed = cluster('a', { ...inState('failed'), submitBlockedReason: 'no account' })
  expect(blockedReason(failed, job({ nodes: 99 }))).toMatch(/failed/)
  expect(submitBlockedReason(null, failed)).toMatch(/failed/)
})

it('lists clusters that can run the job first, and keeps the order otherwise', () => {
  const small = (name: string) => cluster(name, { largestNode: { cores: 1, gpus: 0 } })
  const order = offers(job(), [small('s1'), cluster('a'), small('s2'), cluster('b')])
  expect(order.map((offer) => offer.cluster.name)).toEqual(['a', 'b', 's1', 's2'])
})

it('lists clusters that need no key first for a new user', () => {
  const head = (name: string, accounts: string) => ({ name, provider: 'local', data: { head: { accounts } } })
  const all = [
    head('torque', 'key'),
    head('shared', 'sudo'),
    { name: 'cloud', provider: 'aws', data: {} },
    { name: 'this machine', provider: 'local', data: {} },
    // Border: the rows have only the fields that are read.
  ] as unknown as Parameters<typeof keylessFirst>[0]
  expect(keylessFirst(all).map(({ name }) => name)).toEqual(['shared', 'cloud', 'this machine', 'torque'])
})
