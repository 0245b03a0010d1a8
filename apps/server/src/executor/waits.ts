import { countText } from '@flotilla/contract/count-text'
import { choose, type Need, type Room } from './room'
import type { NodeConfig, State } from './journal/state'

/** Why a job waits, as a text for users and as a code. */
export interface Wait {
  text: string
  code: 'Resources' | 'Disk' | 'Priority' | 'ArrayLimit' | 'Held' | 'Impossible' | 'NodesOut' | 'NotStarted'
  /** Whether it waits for something other than its turn. */
  blocked: boolean
  expected?: number
}

/**
 * These texts contain nothing that changes whenever a job starts or ends: with ten thousand waiting jobs, each such
 * change would update ten thousand rows.
 */
export const turn = {
  later: { text: 'Waiting for earlier jobs', code: 'Priority', blocked: false },
  delay: { text: 'Waiting its turn: it would delay an earlier job', code: 'Priority', blocked: false },
  held: { text: 'Held. Release it to let it start.', code: 'Held', blocked: true },
  array: (limit: number): Wait => ({
    text: `Waiting for other tasks of its array: at most ${limit} can run at a time`,
    code: 'ArrayLimit',
    blocked: false,
  }),
} as const satisfies Record<string, Wait | ((limit: number) => Wait)>

/** For jobs that could start now if the disk had enough space. */
export const waitsForDisk: Wait = {
  text: 'Waiting for disk space: this machine’s disk is nearly full',
  code: 'Disk',
  blocked: false,
}

const resourcesText = ({ nodes, cores, gpus }: Need, free: string) => {
  const each = [countText(cores, `${free}core`), ...(gpus ? [countText(gpus, `${free}GPU`)] : [])].join(
    ' and ',
  )
  return nodes === 1 ? each : `${countText(nodes, 'node')} with ${each} each`
}

/** For the first job in the queue, which waits only for free resources. */
export function waitsForRoom(rooms: readonly Room[], need: Need, running: number, expected: number): Wait {
  // If there are enough cores, only the GPUs are missing.
  const cores = { ...need, gpus: 0 }
  const gpus = `${countText(need.gpus, 'free GPU')}${need.nodes === 1 ? '' : ` on each of ${need.nodes} nodes`}`
  const missing = need.gpus && choose(rooms, cores) ? gpus : resourcesText(need, 'free ')
  const others = running === 0 ? '' : `: ${countText(running, 'job')} ${running === 1 ? 'is' : 'are'} running`
  return { text: `Waiting for ${missing}${others}`, code: 'Resources', blocked: false, expected }
}

const whole = (nodes: readonly NodeConfig[]): Room[] =>
  nodes.map(({ name, cores, gpus }) => ({ name, cores, gpus }))

/** For jobs that would not fit even on an empty cluster. */
export function never(nodes: readonly NodeConfig[], need: Need): Wait | undefined {
  if (choose(whole(nodes), need)) return undefined
  const impossible = (text: string): Wait => ({
    text: `${text}: it can never start`,
    code: 'Impossible',
    blocked: true,
  })
  if (need.nodes > nodes.length)
    return impossible(`Requests ${countText(need.nodes, 'node')}, but the cluster has ${nodes.length}`)
  const most = (what: 'cores' | 'gpus') => Math.max(0, ...nodes.map((node) => node[what]))
  if (need.cores > most('cores'))
    return impossible(
      `Requests ${countText(need.cores, 'core')} per node, but the largest node has ${most('cores')}`,
    )
  if (need.gpus > most('gpus'))
    return impossible(
      `Requests ${countText(need.gpus, 'GPU')} per node, but no node has more than ${most('gpus')}`,
    )
  return impossible(`Requests ${resourcesText(need, '')}, but the cluster does not have enough such nodes`)
}

/** For jobs that would fit if every node were in service. They block no other job, since no one knows when the nodes will be back. */
export function outOfService({ config, drained }: State, need: Need): Wait | undefined {
  const inService = config.nodes.filter(({ name }) => !drained.has(name))
  const rest = inService.filter(({ off }) => !off)
  if (choose(whole(rest), need)) return undefined
  if (choose(whole(inService), need))
    return { text: 'Waiting for nodes that are not started', code: 'NotStarted', blocked: false }
  const names = config.nodes.filter(({ name }) => drained.has(name)).map(({ name }) => name)
  return {
    text: `Waiting for nodes that are out of service: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and others' : ''}`,
    code: 'NodesOut',
    blocked: false,
  }
}
