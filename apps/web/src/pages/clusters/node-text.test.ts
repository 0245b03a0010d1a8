import type { Cluster } from '@flotilla/contract/clusters/entity'
import { expect, it } from 'vitest'
import { staleAfter } from './cluster-text'
import { nodesText, nodeTone, nodeParts, stateTone } from './node-text'

const nodes = { available: 1, busy: 0, down: 0, offline: 2, total: 3, unknown: 0 }
/** A cluster with only the fields used here. */
const cluster = (state: string, up: string[]) =>
  ({
    provider: 'aws',
    info: { state },
    nodes,
    nodeNames: ['node1', 'node2', 'node3'],
    machines: ['head', ...up].map((name) => ({ name })),
    freshness: { polledAt: 1, error: null, errorSince: null },
  }) as unknown as Cluster
const grays = (of: Cluster) =>
  nodeParts(of)
    .filter(({ count, tone }) => count > 0 && tone === 'gray')
    .map(({ label, count }) => `${count} ${label}`)

it('shows nodes that were never started in gray, and a drained node in amber', () => {
  const idle = cluster('available', ['node1'])
  expect(grays(idle)).toEqual(['2 not started'])
  expect(stateTone(idle, 'offline')).toBe('gray')
  const drained = cluster('available', ['node1', 'node2'])
  expect(nodesText(drained)).toBe('1 available, 1 offline, 1 not started')
  expect(stateTone(drained, 'offline')).toBe('amber')
  expect(nodeTone({ state: 'offline', note: 'not started' })).toBe('gray')
  expect(nodeTone({ state: 'offline', note: '' })).toBe('amber')
})

it('shows all nodes of a stopped cluster in gray, and does not mark its data as stale', () => {
  const stopped = cluster('stopped', ['node1', 'node2', 'node3'])
  expect(grays(stopped)).toEqual(['2 stopped'])
  expect(staleAfter(stopped, 1000)).toBe(Infinity)
  expect(staleAfter(cluster('available', []), 1000)).toBe(1000)
  const silent = { ...stopped, freshness: { ...stopped.freshness, error: 'no response' } }
  expect(staleAfter(silent, 1000)).toBe(0)
})
