import { expect, it } from 'vitest'
import { offers, whyNotOffered } from './why-not-offered'
import type { Offer } from './why-not-offered'

const counts = { available: 2, busy: 1, down: 1, offline: 0, unknown: 0, total: 4 }
const cluster = (changes: Partial<Offer> = {}): Offer => ({
  id: 'a',
  name: 'aurora',
  info: { state: 'available', since: 0, cause: null },
  nodes: counts,
  largestNode: { cores: 8, gpus: 2 },
  whyNoSubmit: null,
  ...changes,
})
const small = { nodes: 1, cores: 1, gpus: 0 }

it('offers a cluster that is exactly large enough', () => {
  expect(whyNotOffered(cluster(), { nodes: 4, cores: 8, gpus: 2 })).toBeNull()
  expect(whyNotOffered(cluster(), null)).toBeNull()
})

it.each([
  [
    cluster({ info: { state: 'stopped', since: 0, cause: null } }),
    small,
    'It is stopped, and must be available',
  ],
  [cluster({ whyNoSubmit: 'You have no account there' }), small, 'You have no account there'],
  [cluster(), { ...small, nodes: 5 }, 'It has 4 nodes; the job needs 5'],
  [cluster(), { ...small, cores: 9 }, 'Its largest node has 8 cores; the job needs 9 on each'],
  [cluster(), { ...small, gpus: 3 }, 'Its largest node has 2 GPUs; the job needs 3 on each'],
  [
    cluster({ largestNode: { cores: 8, gpus: 0 } }),
    { ...small, gpus: 1 },
    'It has no GPUs; the job needs 1 on each node',
  ],
])('says why it is not offered (%#)', (offer, job, why) => {
  expect(whyNotOffered(offer, job)).toBe(why)
})

it('speaks of the state before anything else', () => {
  const failed = cluster({ info: { state: 'failed', since: 0, cause: 'x' }, whyNoSubmit: 'no account' })
  expect(whyNotOffered(failed, { nodes: 99, cores: 99, gpus: 99 })).toMatch(/failed/)
})

it('lists what is on offer first and keeps the order otherwise', () => {
  const stopped = { info: { state: 'stopped', since: 0, cause: null } } as const
  const list = [
    cluster({ id: '1', ...stopped }),
    cluster({ id: '2' }),
    cluster({ id: '3', ...stopped }),
    cluster({ id: '4' }),
  ]
  expect(offers(list, small).map((offer) => offer.cluster.id)).toEqual(['2', '4', '1', '3'])
})
