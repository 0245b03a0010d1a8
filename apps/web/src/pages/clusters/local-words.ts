import type { Cluster } from '@flotilla/contract/clusters/entity'
import { countText } from '@flotilla/contract/count-text'
import type { Lifecycle } from './cluster-actions'
import { headOf } from './cluster-words'

interface Words {
  /** In a sentence: what happens. */
  happens: (cluster: Cluster) => string
  /** What is gone afterwards. */
  lost: (cluster: Cluster) => string
  /** Cannot be undone by the opposite action: the name has to be typed. */
  grave: boolean
}

const jobsIn = ({ queue }: Cluster): number => queue.running + queue.queued + queue.blocked

/** The sentence that fits how many jobs there are. */
const ofJobs = (cluster: Cluster, none: string, one: string, many: (jobs: string) => string): string => {
  const count = jobsIn(cluster)
  return count === 0 ? none : count === 1 ? one : many(countText(count, 'job'))
}
const isElsewhere = (cluster: Cluster): boolean => cluster.provider !== 'local' || cluster.data.head !== null
const isBuiltIn = ({ data }: Cluster): boolean => data.manager === 'none'

/** What is done to clusters of machines that exist. */
export const localWords: Record<Lifecycle, Words> = {
  deploy: {
    happens: (cluster) =>
      isBuiltIn(cluster)
        ? 'Its virtual nodes are set up on this machine, and jobs can be submitted to it.'
        : `We connect to ${isElsewhere(cluster) ? headOf(cluster) : 'this machine'}, read its nodes and its queue, and jobs can be submitted to it.`,
    lost: () => 'Nothing is lost, and nothing is changed on machines that exist already.',
    grave: false,
  },
  stop: {
    happens: (cluster) =>
      `${cluster.nodes.total === 1 ? 'Its one node is' : `All its ${countText(cluster.nodes.total, 'node')} are`} drained: running jobs go on to their end, and none begins.`,
    lost: () => 'Nothing is lost: what waits in the queue begins when the cluster is started again.',
    grave: false,
  },
  start: {
    happens: () => 'Its nodes take jobs again, and what waits in the queue begins.',
    lost: () => 'Nothing is lost.',
    grave: false,
  },
  destroy: {
    happens: (cluster) =>
      isBuiltIn(cluster)
        ? 'The executor ends on this machine, with everything that runs or waits in it.'
        : 'The cluster is detached: its machines, their jobs and files stay as they are, and this console does not watch them any more.',
    lost: (cluster) =>
      isBuiltIn(cluster)
        ? `${ofJobs(cluster, 'No job runs or waits now.', '1 job is canceled now.', (jobs) => `${jobs} are canceled now.`)} Files that jobs wrote stay, and the cluster can be deployed again.`
        : `${ofJobs(cluster, 'Its queue is empty.', '1 job in its queue is no longer seen here.', (jobs) => `${jobs} in its queue are no longer seen here.`)} The cluster can be deployed again.`,
    grave: true,
  },
  forceDestroy: {
    happens: () =>
      'The cluster is forgotten without being asked: for when it cannot be reached, or when an action hangs.',
    lost: (cluster) =>
      `What still runs there (${ofJobs(cluster, 'no job', '1 job', (jobs) => jobs)} when last seen) goes on without being watched. The cluster can be deployed again.`,
    grave: true,
  },
  remove: {
    happens: () => 'The record of the cluster is deleted for you and everybody it is shared with.',
    lost: () => 'Its logs, activities, load history and its SSH key are gone for good.',
    grave: true,
  },
}
