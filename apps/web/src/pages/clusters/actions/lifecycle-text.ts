import type { Cluster } from '@flotilla/contract/clusters/entity'
import { countText } from '@flotilla/contract/count-text'
import type { Lifecycle } from './cluster-actions'
import { headOf } from '../cluster-text'

interface LifecycleText {
  /** Describes what the action does. */
  happens: (cluster: Cluster) => string
  /** Describes what is lost, such as running jobs. */
  lost: (cluster: Cluster) => string
  /** Whether no opposite action can undo it. The user then has to type the cluster's name. */
  irreversible: boolean
}

const jobsIn = ({ queue }: Cluster): number => queue.running + queue.queued + queue.blocked

/** Picks the text for the number of jobs in the queue. */
const ofJobs = (cluster: Cluster, none: string, one: string, many: (jobs: string) => string): string => {
  const count = jobsIn(cluster)
  return count === 0 ? none : count === 1 ? one : many(countText(count, 'job'))
}
const isElsewhere = (cluster: Cluster): boolean => cluster.provider !== 'local' || cluster.data.head !== null
const isBuiltIn = ({ data }: Cluster): boolean => data.manager === 'none'

/** Texts of actions on clusters of existing machines. */
export const lifecycleTexts: Record<Lifecycle, LifecycleText> = {
  deploy: {
    happens: (cluster) =>
      isBuiltIn(cluster)
        ? 'Its virtual nodes are set up on this machine. You can then submit jobs to it.'
        : `The console connects to ${isElsewhere(cluster) ? headOf(cluster) : 'this machine'} and reads its nodes and queue. You can then submit jobs to it.`,
    lost: () => 'Nothing is lost, and nothing changes on existing machines.',
    irreversible: false,
  },
  stop: {
    happens: (cluster) =>
      `${cluster.nodes.total === 1 ? 'Its only node is' : `All ${countText(cluster.nodes.total, 'node')} are`} drained: running jobs finish, and no new jobs start.`,
    lost: () => 'Nothing is lost. Queued jobs start when the cluster is started again.',
    irreversible: false,
  },
  start: {
    happens: () => 'Its nodes accept jobs again, and queued jobs start.',
    lost: () => 'Nothing is lost.',
    irreversible: false,
  },
  destroy: {
    happens: (cluster) =>
      isBuiltIn(cluster)
        ? 'The executor on this machine stops, and all running and queued jobs are canceled.'
        : 'The cluster is detached. Its machines, jobs and files stay as they are, but the console no longer monitors them.',
    lost: (cluster) =>
      isBuiltIn(cluster)
        ? `${ofJobs(cluster, 'No jobs are running or queued.', '1 job is canceled now.', (jobs) => `${jobs} are canceled now.`)} Files written by jobs are kept, and the cluster can be deployed again.`
        : `${ofJobs(cluster, 'Its queue is empty.', '1 queued job is no longer shown here.', (jobs) => `${jobs} in its queue are no longer shown here.`)} The cluster can be deployed again.`,
    irreversible: true,
  },
  forceDestroy: {
    happens: () =>
      'Use this when the cluster cannot be reached or an action hangs. The console stops tracking it without contacting it.',
    lost: (cluster) =>
      `Anything still running there (${ofJobs(cluster, 'no jobs', '1 job', (jobs) => jobs)} when last checked) keeps running unmonitored. The cluster can be deployed again.`,
    irreversible: true,
  },
  remove: {
    happens: () => 'The cluster is deleted for you and everyone it is shared with.',
    lost: () => 'Its logs, activities, load history and SSH key are permanently deleted.',
    irreversible: true,
  },
}
