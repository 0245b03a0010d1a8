import { burstsAsNeeded, type BurstMode, type Machine } from '@flotilla/contract/clusters/cloud'
import type { Cluster, logTypes } from '@flotilla/contract/clusters/entity'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import { countText } from '@flotilla/contract/count-text'
import type { Tone } from '../../ui/status/tone'

const tones: Record<ClusterState, Tone> = {
  saved: 'gray',
  planning: 'blue',
  planned: 'gray',
  deploying: 'blue',
  available: 'green',
  updating: 'blue',
  stopping: 'blue',
  stopped: 'gray',
  starting: 'blue',
  destroying: 'blue',
  destroyed: 'gray',
  failed: 'red',
}

/** Ends a text with a period, which only some of the server's reasons have. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export const capital = (label: string): string => label.charAt(0).toUpperCase() + label.slice(1)

/**
 * A cluster's state as one label. A cluster that should respond but does not is shown as unreachable, whatever its last
 * known state.
 */
export function healthOf({ info, freshness }: Pick<Cluster, 'info' | 'freshness'>): {
  label: string
  tone: Tone
  since: number
} {
  const shouldRespond = info.state === 'available' || info.state === 'stopped'
  if (shouldRespond && freshness.error !== null)
    return { label: 'Unreachable', tone: 'amber', since: freshness.errorSince ?? info.since }
  return { label: capital(info.state), tone: tones[info.state], since: info.availableSince ?? info.since }
}

/** Whether an action is in progress. */
export const isInProgress = (state: ClusterState): boolean => tones[state] === 'blue'

export function headOf(cluster: Cluster): string {
  // The server sends no addresses to participants, who see the cluster’s name instead.
  if (cluster.provider === 'local')
    return cluster.data.head?.host ?? (cluster.data.transport === 'ssh' ? 'A head node' : 'This machine')
  const head = cluster.machines.find(({ role }) => role === 'head')
  return head ? (head.publicIp ?? head.privateIp ?? cluster.name) : 'Not deployed'
}

/** The log of the action in progress; null if there is none. */
export function logOf({
  info: { state },
  provider,
}: Pick<Cluster, 'info' | 'provider'>): (typeof logTypes)[number] | null {
  if (state === 'planning') return 'plan'
  if (state === 'deploying') return 'deploy'
  if (state === 'updating') return provider === 'local' ? 'deploy' : 'change'
  if (state === 'stopping') return 'stop'
  if (state === 'starting') return 'start'
  return state === 'destroying' ? 'destroy' : null
}

/** '3 running, 120 queued', without zeros. */
export const countsText = (counts: readonly (readonly [number, string])[], none: string): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${count} ${label}`)
    .join(', ') || none

/** The disks that a destroyed cluster kept; null if there are none. */
export function keptText(cluster: Cluster): string | null {
  const kept = cluster.provider === 'local' ? 0 : cluster.keptDisks
  return kept > 0 ? `${countText(kept, 'disk')} kept, still ${kept === 1 ? 'costs' : 'cost'} money` : null
}

/** The effect of a failed action on the cloud. */
export function failureEffect({ provider, info }: Pick<Cluster, 'provider' | 'info'>): string {
  if (provider === 'local') return ''
  return info.failedAction === 'plan'
    ? 'Planning changed nothing in the cloud. '
    : 'Some of its changes may have been made. '
}

/** Whether the server polls the cluster. A cloud cluster without machines has nothing to poll. */
export const isPolled = (cluster: Cluster): boolean =>
  cluster.provider === 'local' || cluster.machines.length > 0

/** The interval at which the age of the data is polled, because events are sent only on changes. */
export const AGE_EVERY_MS = 15_000

/** The age at which data counts as stale. Data of a stopped cluster never does, because nothing changes there. */
export function staleAfter(
  { freshness, info }: Pick<Cluster, 'freshness' | 'info'>,
  usualMs: number,
): number {
  if (freshness.error !== null) return 0
  return info.state === 'stopped' ? Infinity : usualMs
}

const NAME_MAX = 64
const COPY = ' copy'
/** The default name of a copy. */
export const copyName = (name: string): string => `${name.slice(0, NAME_MAX - COPY.length)}${COPY}`

/** How vanished machines are recreated. Bursting starts nodes only for jobs, not to replace vanished ones. */
export function vanishedAdvice(vanished: readonly Pick<Machine, 'role'>[], mode: BurstMode): string {
  const nodesOnly = vanished.every(({ role }) => role === 'node')
  const isOne = vanished.length === 1
  const them = isOne ? 'it' : 'them'
  return burstsAsNeeded(mode) && nodesOnly
    ? `${isOne ? 'It is' : 'They are'} recreated when a job needs ${them}. Apply changes to remove ${them} from the list.`
    : `Apply changes to bring ${them} back.`
}
