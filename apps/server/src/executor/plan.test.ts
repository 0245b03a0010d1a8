import { expect, test } from 'vitest'
import { plan } from './plan'
import { apply, emptyState, type Job, type State } from './journal/state'
import { formatTasks, parseTasks } from '@flotilla/contract/jobs/array'

/** Pseudorandom numbers that are the same in every run. */
function dice(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % sides
  }
}

const job = (id: number, given: Partial<Job>): Job => ({
  id,
  name: '',
  user: '',
  nodes: 1,
  cores: 1,
  gpus: 0,
  limitS: 60,
  workdir: '/',
  stdoutPath: '',
  mark: `m${id}`,
  runAs: null,
  env: {},
  interpreter: [],
  script: '',
  submitTime: 0,
  tasks: [
    {
      state: 'waiting',
      attempt: 0,
    },
  ],
  ...given,
})

const cluster = (nodes: { name: string; cores: number; gpus: number }[]): State => {
  const state = emptyState()
  apply(state, { op: 'configure', config: { nodes, hide: [], readOnly: [] } })
  return state
}

function start(state: State, now: number) {
  const { starts, waits } = plan(state, now)
  for (const { job: each, places } of starts)
    apply(state, { op: 'start', id: each.id, key: '', boot: '', places, at: now })
  return { starts: starts.map((each) => each.job.id), waits }
}

test('no node is ever allocated twice, and the first job’s reservation is kept', () => {
  const wrong: string[] = []
  for (let seed = 1; seed <= 8; seed++) {
    const roll = dice(seed)
    const nodes = Array.from({ length: 4 }, (_, index) => ({ name: `n${index}`, cores: 4, gpus: index % 3 }))
    const state = cluster(nodes)
    let promised: { id: number; at: number } | undefined
    let id = 0
    for (let second = 0; second < 300; second++) {
      const now = second * 1000
      for (const { job: each, task } of state.running.values()) {
        // Most jobs end before their wall time is over.
        const over = now >= (task.start ?? 0) + each.limitS * 1000
        if (over || roll(40) === 0)
          apply(state, { op: 'end', id: each.id, at: now, ending: 'succeeded', reason: '' })
      }
      if (roll(2) === 0)
        apply(state, {
          op: 'job',
          job: job(++id, { nodes: 1 + roll(4), cores: 1 + roll(4), gpus: roll(2), limitS: 1 + roll(60) }),
        })
      const { starts, waits } = start(state, now)

      const used = new Map<string, number>()
      const gpus: number[] = []
      let requested = 0
      for (const { job: each, task } of state.running.values())
        for (const place of task.places ?? []) {
          used.set(place.node, (used.get(place.node) ?? 0) + each.cores)
          requested += each.gpus
          gpus.push(...place.gpus)
        }
      if (Math.max(0, ...used.values()) > 4) wrong.push(`cores given out twice at ${seed}.${second}`)
      if (new Set(gpus).size !== requested) wrong.push(`GPUs given out twice at ${seed}.${second}`)
      const late = promised && !starts.includes(promised.id) && (waits.get(promised.id)?.expected ?? Infinity)
      if (promised && late && (late > promised.at || now >= promised.at))
        wrong.push(`a delay at ${seed}.${second}`)
      const [head] = [...waits].filter(([, wait]) => wait.expected !== undefined)
      promised = head && { id: head[0], at: head[1].expected ?? 0 }
    }
    expect(id).toBeGreaterThan(100)
  }
  expect(wrong).toEqual([])
})

test('a waiting job has a reason that its user can act on', () => {
  const state = cluster([
    { name: 'n1', cores: 4, gpus: 2 },
    { name: 'n2', cores: 8, gpus: 0 },
  ])
  const add = (id: number, given: Partial<Job>) => apply(state, { op: 'job', job: job(id, given) })
  add(1, { nodes: 2, cores: 3, gpus: 0 })
  add(2, { gpus: 2 })
  start(state, 0)
  add(3, { gpus: 1 })
  add(4, { cores: 9 })
  add(5, { gpus: 3 })
  add(6, { nodes: 2, cores: 5 })
  add(7, { nodes: 2, cores: 1, limitS: 1000 })
  apply(state, { op: 'drain', node: 'n1', reason: '' })
  add(8, { nodes: 2 })
  expect(plan(state, 0).waits.get(8)?.text).toBe('Waiting for nodes that are out of service: n1')
  apply(state, { op: 'resume', node: 'n1' })
  const { waits } = plan(state, 0)
  expect(Object.fromEntries([...waits].map(([id, { text }]) => [id, text]))).toEqual({
    3: 'Waiting for 1 free GPU: 2 jobs are running',
    4: 'Requests 9 cores per node, but the largest node has 8: it can never start',
    5: 'Requests 3 GPUs per node, but no node has more than 2: it can never start',
    6: 'Requests 2 nodes with 5 cores each, but the cluster does not have enough such nodes: it can never start',
    7: 'Waiting for earlier jobs',
    8: 'Waiting for earlier jobs',
  })
})

test('the tasks of an array are parsed, and formatted in the shortest notation', () => {
  expect(parseTasks('0-9:3,20%4')).toEqual({ numbers: [0, 3, 6, 9, 20], limit: 4 })
  for (const wrong of ['', '5-1', '1-9:0', 'a', '1;2', '1%0', '0-999999999'])
    expect(parseTasks(wrong), wrong).toBeUndefined()
  for (const text of ['0-9', '1-99:2', '1,5,7', '3', '0-3,10-30:10,99', '1-2'])
    expect(formatTasks(parseTasks(text)?.numbers ?? [])).toBe(text)
})
