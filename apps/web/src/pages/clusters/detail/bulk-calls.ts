import type { clusters } from '@flotilla/contract/clusters/clusters'
import type { Reply } from '@flotilla/contract/endpoint'

/** Jobs or nodes per call. Each is a command on the cluster, so a small number keeps calls short and shows progress. */
export const PER_CALL = 10

/** The reasons of failures, by job or node name. */
export const reasonsOf = ({ failed }: Reply<typeof clusters.operateJobs>): ReadonlyMap<string, string> =>
  new Map(failed.map(({ name, reason }) => [name, reason]))
