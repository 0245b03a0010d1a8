import type { clusters } from '@flotilla/contract/clusters/clusters'
import type { Reply } from '@flotilla/contract/endpoint'

/** Each job or node is a command on the cluster: few enough that no call takes long and the progress is visible. */
export const PER_CALL = 10

/** Why it failed, by name. */
export const reasonsOf = ({ failed }: Reply<typeof clusters.operateJobs>): ReadonlyMap<string, string> =>
  new Map(failed.map(({ name, reason }) => [name, reason]))
