import { coresText, countText } from '@flotilla/contract/count-text'
import type { BurstMode } from '@flotilla/contract/clusters/cloud'
import { expandNodes } from '../../../schedulers/node-list'
import type { NodeInfo, QueuedJob } from '../../../schedulers/scheduler'
import type { PossibleNode } from '../cloud/machines/possible-nodes'

export interface Situation {
  mode: BurstMode
  /** How many seconds a node may idle before it is removed; 0 keeps it. */
  idlePurgeS: number
  possible: PossibleNode[]
  /** Nodes whose machines exist. */
  up: ReadonlySet<string>
  /** Nodes of `up` that have not joined yet but are expected to. */
  coming: ReadonlySet<string>
  jobs: QueuedJob[]
  nodes: NodeInfo[]
  /** Since when each node has had no job. */
  idleSince: ReadonlyMap<string, number>
  /** Groups that are paused: no nodes of theirs are brought up. */
  paused: ReadonlySet<number>
  now: number
}

export interface Decision {
  up: string[]
  down: string[]
  /** The reason, for the log. */
  why: string
  /** Jobs that no node can serve, each with the reason. */
  unservable: string[]
}

type Need = Pick<QueuedJob, 'nodes' | 'cores' | 'gpus'>
type Room = { name: string; cores: number; gpus: number }

const fits = (room: Pick<Room, 'cores' | 'gpus'>, need: Need) =>
  room.cores >= need.cores && room.gpus >= need.gpus

/** Whether the job waits for free nodes, and not because it is held or limited by its array. */
const waitsForNodes = ({ state, nativeReason }: QueuedJob): boolean =>
  state === 'queued' && nativeReason !== 'ArrayLimit'

/** Which nodes to bring up or remove now. Never both: nodes that are needed come first. */
export function decide(situation: Situation): Decision {
  const { mode } = situation
  const nothing: Decision = { up: [], down: [], why: '', unservable: [] }
  if (mode === 'off') return nothing
  const absent = situation.possible.filter(({ name }) => !situation.up.has(name))
  if (mode === 'always') {
    const up = absent.filter(({ group }) => !situation.paused.has(group)).map(({ name }) => name)
    return up.length === 0 ? nothing : { ...nothing, up, why: 'the burst mode is always' }
  }
  const { fresh, used, served, unservable, groups } = plan(situation, absent)
  if (fresh.length > 0) {
    const up =
      mode === 'max'
        ? absent.filter(({ group }) => fresh.some((node) => node.group === group)).map(({ name }) => name)
        : fresh.map(({ name }) => name)
    const whole = mode === 'max' ? '; the whole group is brought up' : ''
    const waiting = served === 1 ? '1 job is waiting' : `${served} jobs are waiting`
    return { ...nothing, up, why: `${waiting} for ${countText(fresh.length, 'node')}${whole}`, unservable }
  }
  const down = idle(situation, used, mode === 'max' ? groups : new Set())
  const why = `no job for ${countText(situation.idlePurgeS, 'second')}`
  return down.length === 0 ? { ...nothing, unservable } : { ...nothing, down, why, unservable }
}

/** Goes through the queue in order and finds which jobs fit now, and which need nodes that are not up. */
function plan(situation: Situation, absent: PossibleNode[]) {
  const rooms = freeRooms(situation)
  const spare = absent.filter(({ group }) => !situation.paused.has(group)).toSorted(byPrice)
  const fresh: PossibleNode[] = []
  const used = new Set<string>()
  const unservable: string[] = []
  /** The groups of all nodes, up or coming, that waiting jobs need. */
  const groups = new Set<number>()
  let served = 0
  for (const job of situation.jobs.filter(waitsForNodes)) {
    if (!couldRun(situation.possible, job)) {
      unservable.push(`job ${job.id} requests ${describeRequest(job)}, more than this cluster can provide`)
      continue
    }
    // Every task takes some capacity, so that the loop ends when none is left.
    const need = { nodes: Math.max(1, job.nodes), cores: Math.max(1, job.cores), gpus: job.gpus }
    for (let task = 0; task < job.tasks; task++) {
      const here = rooms
        .filter((room) => fits(room, need))
        .toSorted((a, b) => a.gpus - b.gpus || a.cores - b.cores)
        .slice(0, need.nodes)
      const more = choose(spare, need, need.nodes - here.length)
      if (!more) break
      for (const node of more) {
        spare.splice(spare.indexOf(node), 1)
        fresh.push(node)
        const { name, cores, gpus } = node
        rooms.push({ name, cores, gpus })
        here.push(...rooms.slice(-1))
      }
      for (const room of here) {
        room.cores -= need.cores
        room.gpus -= need.gpus
        used.add(room.name)
      }
      if (more.length > 0) served++
    }
  }
  for (const { name, group } of situation.possible) if (used.has(name)) groups.add(group)
  return { fresh, used, served, unservable, groups }
}

/** The cheapest nodes that fit, from one group if possible; null if there are not enough. */
function choose(spare: PossibleNode[], need: Need, count: number): PossibleNode[] | null {
  if (count <= 0) return []
  const fit = spare.filter((node) => fits(node, need))
  for (const group of new Set(fit.map((node) => node.group))) {
    const same = fit.filter((node) => node.group === group)
    if (same.length >= count) return same.slice(0, count)
  }
  return fit.length >= count ? fit.slice(0, count) : null
}

/** Sorts by price, nodes without a price last, and then by size, smallest first. Nodes of a group keep their order. */
const byPrice = (a: PossibleNode, b: PossibleNode): number => {
  const [one, other] = [a.perHour ?? Infinity, b.perHour ?? Infinity]
  if (one !== other) return one < other ? -1 : 1
  return a.gpus - b.gpus || a.cores - b.cores
}

const couldRun = (possible: PossibleNode[], need: Need): boolean =>
  possible.filter((node) => fits(node, need)).length >= need.nodes

function describeRequest({ nodes, cores, gpus }: Need): string {
  return `${countText(nodes, 'node')} with ${coresText({ cores, gpus })}${nodes === 1 ? '' : ' each'}`
}

/** The free capacity of nodes that accept jobs, and the full capacity of those that are coming up. */
function freeRooms({ possible, up, coming, nodes }: Situation): Room[] {
  const seen = new Map(nodes.map((node) => [node.name, node]))
  return possible.flatMap(({ name, cores, gpus }): Room[] => {
    if (!up.has(name)) return []
    const node = seen.get(name)
    if (node?.state === 'available' || node?.state === 'busy')
      return [{ name, cores: node.cores - node.coresUsed, gpus: node.gpus - node.gpusUsed }]
    return coming.has(name) ? [{ name, cores, gpus }] : []
  })
}

/** Nodes that have been idle for long enough and that no waiting job is about to use. */
function idle(
  { possible, up, idlePurgeS, idleSince, coming, now }: Situation,
  used: Set<string>,
  kept: Set<number>,
) {
  if (idlePurgeS === 0) return []
  return possible
    .filter(({ name, group }) => {
      const since = idleSince.get(name)
      if (!up.has(name) || used.has(name) || kept.has(group) || coming.has(name)) return false
      return since !== undefined && now - since >= idlePurgeS * 1000
    })
    .map(({ name }) => name)
}

/** The nodes that jobs run on. Expanded as one list, so that its limit applies to all jobs together. */
export function busyNodes(jobs: QueuedJob[]): Set<string> {
  const lists = new Set(jobs.filter(({ state }) => state === 'running').map(({ nodeList }) => nodeList))
  return new Set(expandNodes([...lists].join()))
}
