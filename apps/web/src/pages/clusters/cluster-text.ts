import type { Cluster, logTypes } from '@flotilla/contract/clusters/entity'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import { countText } from '@flotilla/contract/count-text'
import type { Tone } from '../../ui/tone'

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

/** The server's reasons come with and without a full stop. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export const capital = (label: string): string => label.charAt(0).toUpperCase() + label.slice(1)

/** In one word. A cluster that should answer and does not is degraded, whatever was last heard of it. */
export function healthOf({ info, freshness }: Pick<Cluster, 'info' | 'freshness'>): {
  label: string
  tone: Tone
  since: number
} {
  const shouldAnswer = info.state === 'available' || info.state === 'stopped'
  if (shouldAnswer && freshness.error !== null)
    return { label: 'Unreachable', tone: 'amber', since: freshness.errorSince ?? info.since }
  return { label: capital(info.state), tone: tones[info.state], since: info.since }
}

/** Something is being done to it right now. */
export const isInProgress = (state: ClusterState): boolean => tones[state] === 'blue'

export function headOf(cluster: Cluster): string {
  if (cluster.provider === 'local') return cluster.data.head?.host ?? 'This machine'
  const head = cluster.machines.find(({ role }) => role === 'head')
  return head?.publicIp ?? head?.privateIp ?? 'Not deployed'
}

/** Where the log of what goes on in this state is written; null when nothing does. */
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

/** '3 running, 120 queued': only what is there. */
export const countsText = (counts: readonly (readonly [number, string])[], none: string): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${count} ${label}`)
    .join(', ') || none

/** What is left of a cluster that was destroyed; null when nothing is. */
export function keptText(cluster: Cluster): string | null {
  const kept = cluster.provider === 'local' ? 0 : cluster.keptDisks
  return kept > 0 ? `${countText(kept, 'disk')} kept, still ${kept === 1 ? 'costs' : 'cost'} money` : null
}

/** Nothing is told while nothing changes; how old the data is has to be asked for. */
export const AGE_EVERY_MS = 15_000

/** From what age on data is too old to trust. Nobody looks at what is stopped, and nothing happens there. */
export function staleAfter(
  { freshness, info }: Pick<Cluster, 'freshness' | 'info'>,
  usualMs: number,
): number {
  if (freshness.error !== null) return 0
  return info.state === 'stopped' ? Infinity : usualMs
}

const NAME_MAX = 64
const COPY = ' copy'
/** What a copy is called until somebody says otherwise. */
export const copyName = (name: string): string => `${name.slice(0, NAME_MAX - COPY.length)}${COPY}`
