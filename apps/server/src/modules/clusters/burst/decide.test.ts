import { describe, expect, test } from 'vitest'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import { queuedJob } from '../../../../test/support/app/queued-job'
import type { PossibleNode } from '../cloud/machines/possible-nodes'
import { busyNodes, decide, type Situation } from './decide'

const NOW = 1_000_000_000
let lastJob = 0
const job = (given: Partial<QueuedJob> = {}) =>
  queuedJob({
    id: String(++lastJob),
    state: 'queued',
    nativeState: 'WAITING',
    nativeReason: 'NotStarted',
    ...given,
  })
const running = (nodeList: string, given: Partial<QueuedJob> = {}) =>
  job({ state: 'running', nativeReason: '', nodeList, ...given })

/** Two cheap nodes of 4 cores, then two of 16 cores with 2 GPUs. */
const small = (number: number): PossibleNode => ({
  name: `small${number}`,
  group: 0,
  cores: 4,
  gpus: 0,
  memory: 8,
  perHour: 0.2,
})
const large = (number: number): PossibleNode => ({
  name: `large${number}`,
  group: 1,
  cores: 16,
  gpus: 2,
  memory: 64,
  perHour: 3,
})
const possible = [large(1), large(2), small(1), small(2)]

const seen = (name: string, given: Partial<NodeInfo> = {}): NodeInfo => {
  const { cores = 0, gpus = 0 } = possible.find((node) => node.name === name) ?? {}
  return {
    name,
    state: 'available',
    nativeState: '',
    note: '',
    cores,
    coresUsed: 0,
    gpus,
    gpusUsed: 0,
    memoryMb: 0,
    partitions: [],
    reason: '',
    ...given,
  }
}
function situation(given: Partial<Situation> & { nodes?: NodeInfo[] } = {}): Situation {
  const nodes = given.nodes ?? []
  return {
    mode: 'min',
    idlePurgeS: 60,
    possible,
    up: new Set(nodes.map(({ name }) => name)),
    coming: new Set(),
    jobs: [],
    nodes,
    idleSince: new Map(nodes.map(({ name }) => [name, NOW])),
    paused: new Set(),
    now: NOW,
    ...given,
  }
}
const idleFor = (seconds: number, ...names: string[]) =>
  new Map(names.map((name) => [name, NOW - seconds * 1000]))

describe('off', () => {
  test('changes nothing, whatever is waiting or idle', () => {
    const nodes = [seen('small1')]
    const found = decide(
      situation({ mode: 'off', nodes, jobs: [job({ cores: 16 })], idleSince: idleFor(999, 'small1') }),
    )
    expect(found).toMatchObject({ up: [], down: [] })
  })
})

describe('min', () => {
  test('brings nothing up while no job is waiting', () => {
    expect(decide(situation()).up).toEqual([])
  })
  test('brings up one of the cheapest nodes that fit', () => {
    expect(decide(situation({ jobs: [job()] }))).toMatchObject({
      up: ['small1'],
      why: '1 job is waiting for 1 node',
    })
    expect(decide(situation({ jobs: [job({ cores: 8 })] })).up).toEqual(['large1'])
    expect(decide(situation({ jobs: [job({ gpus: 1 })] })).up).toEqual(['large1'])
  })
  test('terminates when tasks request nothing', () => {
    const greedy = job({ nodes: 0, cores: 0, tasks: 1_000_000_000 })
    expect(decide(situation({ jobs: [greedy] })).up.toSorted()).toEqual([
      'large1',
      'large2',
      'small1',
      'small2',
    ])
  })
  test('puts as many jobs on a node as fit', () => {
    expect(decide(situation({ jobs: [job(), job(), job(), job()] })).up).toEqual(['small1'])
    expect(decide(situation({ jobs: [job({ cores: 3 }), job({ cores: 3 })] })).up).toEqual([
      'small1',
      'small2',
    ])
  })
  test('counts each task of an array, and no more nodes than there are', () => {
    expect(decide(situation({ jobs: [job({ cores: 4, tasks: 2 })] })).up).toEqual(['small1', 'small2'])
    expect(decide(situation({ jobs: [job({ cores: 4, tasks: 500 })] })).up).toHaveLength(4)
  })
  test('takes the nodes of a job from one group if possible, and from several if not', () => {
    expect(decide(situation({ jobs: [job({ nodes: 2 })] })).up).toEqual(['small1', 'small2'])
    expect(decide(situation({ jobs: [job({ nodes: 4 })] })).up.toSorted()).toEqual([
      'large1',
      'large2',
      'small1',
      'small2',
    ])
    const nodes = [seen('small1')]
    expect(decide(situation({ nodes, jobs: [job({ cores: 4 }), job({ nodes: 2 })] })).up).toEqual([
      'large1',
      'large2',
    ])
  })
  test('uses free nodes that are up first', () => {
    const nodes = [seen('small1')]
    expect(decide(situation({ nodes, jobs: [job()] })).up).toEqual([])
    expect(decide(situation({ nodes, jobs: [job({ nodes: 2 })] })).up).toEqual(['small2'])
  })
  test('does not count capacity that running jobs use', () => {
    const nodes = [seen('small1', { state: 'busy', coresUsed: 4 })]
    const jobs = [running('small1', { cores: 4 }), job()]
    expect(decide(situation({ nodes, jobs })).up).toEqual(['small2'])
  })
  test('counts on nodes that are coming up, and brings up no others for the same job', () => {
    const up = new Set(['small1'])
    expect(decide(situation({ up, coming: up, nodes: [], jobs: [job()] })).up).toEqual([])
  })
  test('does not count on nodes that are drained or down', () => {
    for (const state of ['offline', 'down', 'unknown'] as const)
      expect(decide(situation({ nodes: [seen('small1', { state })], jobs: [job()] })).up).toEqual(['small2'])
  })
  test('brings nothing up for jobs that are held, limited by their array, or running', () => {
    const jobs = [
      job({ state: 'blocked', nativeReason: 'Held' }),
      job({ nativeReason: 'ArrayLimit' }),
      job({ state: 'completed' }),
    ]
    expect(decide(situation({ jobs })).up).toEqual([])
  })
  test('reports a job that no nodes could ever run, and continues with the others', () => {
    const jobs = [job({ id: '7', cores: 64 }), job({ nodes: 3, gpus: 1 }), job()]
    const found = decide(situation({ jobs }))
    expect(found.up).toEqual(['small1'])
    expect(found.unservable).toEqual([
      'job 7 requests 1 node with 64 cores, more than this cluster can provide',
      expect.stringContaining('3 nodes with 1 core and 1 GPU each'),
    ])
  })
  test('skips groups that are paused, and uses more expensive ones instead', () => {
    expect(decide(situation({ jobs: [job()], paused: new Set([0]) })).up).toEqual(['large1'])
    expect(decide(situation({ jobs: [job()], paused: new Set([0, 1]) })).up).toEqual([])
  })
  test('uses a group without a price last', () => {
    const unpriced = [{ ...small(1), perHour: null }, large(1)]
    expect(decide(situation({ possible: unpriced, jobs: [job()] })).up).toEqual(['large1'])
  })
})

describe('max', () => {
  test('brings up the whole group as soon as a job needs it, and only that group', () => {
    expect(decide(situation({ mode: 'max', jobs: [job()] })).up).toEqual(['small1', 'small2'])
    expect(decide(situation({ mode: 'max', jobs: [job({ gpus: 2 })] })).up).toEqual(['large1', 'large2'])
  })
  test('brings nothing up for jobs that already fit', () => {
    expect(decide(situation({ mode: 'max', nodes: [seen('small1')], jobs: [job()] })).up).toEqual([])
  })
  test('keeps the idle rest of a group while a waiting job needs it', () => {
    const nodes = [seen('small1'), seen('small2')]
    const idleSince = idleFor(61, 'small1', 'small2')
    expect(decide(situation({ mode: 'max', nodes, idleSince, jobs: [job()] })).down).toEqual([])
    expect(decide(situation({ mode: 'max', nodes, idleSince })).down).toEqual(['small1', 'small2'])
  })
})

describe('always', () => {
  test('brings all nodes up and removes none', () => {
    const nodes = [seen('small1')]
    const found = decide(situation({ mode: 'always', nodes, idleSince: idleFor(9999, 'small1') }))
    expect(found).toMatchObject({ up: ['large1', 'large2', 'small2'], down: [] })
    const all = possible.map(({ name }) => seen(name))
    expect(decide(situation({ mode: 'always', nodes: all }))).toMatchObject({ up: [], down: [] })
  })
  test('skips paused groups', () => {
    expect(decide(situation({ mode: 'always', paused: new Set([1]) })).up).toEqual(['small1', 'small2'])
  })
})

describe('idle nodes', () => {
  const nodes = [seen('small1'), seen('small2')]
  test('are removed when their time is up and not before', () => {
    expect(decide(situation({ nodes, idleSince: idleFor(59, 'small1', 'small2') })).down).toEqual([])
    expect(decide(situation({ nodes, idleSince: idleFor(60, 'small2') }))).toMatchObject({
      down: ['small2'],
      why: 'no job for 60 seconds',
    })
  })
  test('stay forever if the time is 0', () => {
    expect(decide(situation({ nodes, idlePurgeS: 0, idleSince: idleFor(99_999, 'small1') })).down).toEqual([])
  })
  test('stay when a waiting job is about to take them', () => {
    const found = decide(situation({ nodes, idleSince: idleFor(61, 'small1', 'small2'), jobs: [job()] }))
    expect(found.down).toEqual(['small2'])
  })
  test('stay while they are coming up', () => {
    const up = new Set(['small1'])
    const idleSince = idleFor(61, 'small1')
    expect(decide(situation({ up, coming: up, nodes: [], idleSince })).down).toEqual([])
  })
  test('are removed only after nodes that are needed were brought up', () => {
    const found = decide(
      situation({ nodes, idleSince: idleFor(61, 'small1', 'small2'), jobs: [job({ gpus: 1 })] }),
    )
    expect(found).toMatchObject({ up: ['large1'], down: [] })
  })
})

test('nodes that jobs run on are also found in range lists', () => {
  expect(busyNodes([running('small[1-2]'), running('large1'), job({ nodeList: 'x1' })])).toEqual(
    new Set(['small1', 'small2', 'large1']),
  )
})

test('an excessively long node list from a head node is rejected quickly', () => {
  const many = Array.from({ length: 1000 }, (_, index) => running(`n[${index}-90000]`))
  expect(() => busyNodes(many)).toThrow('more than 100,000 nodes')
  expect(busyNodes(Array.from({ length: 200_000 }, () => running('n1')))).toEqual(new Set(['n1']))
})
