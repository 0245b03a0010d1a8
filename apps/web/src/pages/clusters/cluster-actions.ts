import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters-states'
import type { Cluster } from '@flotilla/contract/clusters-entity'
import { CloudOff, Pause, Play, Rocket, Trash2, Unplug } from 'lucide-react'
import type { Icon } from '../../ui/icon'
import { headOf } from './cluster-words'

export const lifecycle = ['deploy', 'stop', 'start', 'destroy', 'forceDestroy', 'remove'] as const
export type Lifecycle = (typeof lifecycle)[number]

interface Words {
  label: string
  icon: Icon
  /** In a sentence: what happens. */
  happens: (cluster: Cluster) => string
  /** What is gone afterwards. */
  lost: (cluster: Cluster) => string
  /** Cannot be undone by the opposite action: the name has to be typed. */
  grave: boolean
}

const jobsOf = ({ queue }: Cluster): string => {
  const count = queue.running + queue.queued + queue.blocked
  if (count === 0) return 'no job'
  return count === 1 ? '1 job' : `${count} jobs`
}
const isElsewhere = (cluster: Cluster): boolean => cluster.provider !== 'local' || cluster.data.head !== null
const isBuiltIn = ({ data }: Cluster): boolean => data.manager === 'none'

export const actionWords: Record<Lifecycle, Words> = {
  deploy: {
    label: 'Deploy',
    icon: Rocket,
    happens: (cluster) =>
      isBuiltIn(cluster)
        ? 'Its virtual nodes are set up on this machine, and jobs can be submitted to it.'
        : `We connect to ${isElsewhere(cluster) ? headOf(cluster) : 'this machine'}, read its nodes and its queue, and jobs can be submitted to it.`,
    lost: () => 'Nothing is lost, and nothing is changed on machines that exist already.',
    grave: false,
  },
  stop: {
    label: 'Stop',
    icon: Pause,
    happens: (cluster) =>
      `All its nodes are drained (${cluster.nodes.total} in all): running jobs go on to their end, and none begins.`,
    lost: () => 'Nothing is lost: what waits in the queue begins when the cluster is started again.',
    grave: false,
  },
  start: {
    label: 'Start',
    icon: Play,
    happens: () => 'Its nodes take jobs again, and what waits in the queue begins.',
    lost: () => 'Nothing is lost.',
    grave: false,
  },
  destroy: {
    label: 'Destroy',
    icon: Unplug,
    happens: (cluster) =>
      isBuiltIn(cluster)
        ? 'The executor ends on this machine, with everything that runs or waits in it.'
        : 'The cluster is detached: its machines, their jobs and files stay as they are, and this console does not watch them any more.',
    lost: (cluster) =>
      isBuiltIn(cluster)
        ? `${jobsOf(cluster)} cancelled now. Files that jobs wrote stay, and the cluster can be deployed again.`
        : `${jobsOf(cluster)} in its queue no longer seen here. The cluster can be deployed again.`,
    grave: true,
  },
  forceDestroy: {
    label: 'Force destroy',
    icon: CloudOff,
    happens: () =>
      'The cluster is forgotten without being asked: for when it cannot be reached, or when an action hangs.',
    lost: (cluster) =>
      `What still runs there (${jobsOf(cluster)} when last seen) goes on without being watched. The cluster can be deployed again.`,
    grave: true,
  },
  remove: {
    label: 'Delete',
    icon: Trash2,
    happens: () => 'The record of the cluster is deleted for you and everybody it is shared with.',
    lost: () => 'Its logs, activities, load history and its SSH key are gone for good.',
    grave: true,
  },
}

/** Why this person cannot do it now, or null. */
export function whyNot(cluster: Cluster, action: Lifecycle | 'edit' | 'operate'): string | null {
  if (!cluster.mine) return `Only ${cluster.owner}, who owns this cluster, may do this`
  const { state } = cluster.info
  return clusterMay(action, state) ? null : clusterMayNot(action, state)
}
