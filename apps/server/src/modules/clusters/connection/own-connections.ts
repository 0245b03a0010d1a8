import type { Queryable } from '../../../db/database'
import type { StoredCluster } from '../stored-cluster'
import { noteConnection } from './store'

/** Uses are recorded at most this often: for a day after one, the person's account is queried for its jobs. */
const NOTED_FOR_MS = 10 * 60_000

export type OwnConnections = ReturnType<typeof makeOwnConnections>
/**
 * Records which people's accounts to query for jobs: only those that let the console in, as an account that does not
 * may get locked.
 */
export function makeOwnConnections(db: Queryable, now: () => number) {
  const note = async (
    me: { id: string },
    { id, hidden_jobs }: StoredCluster,
    worked: boolean,
  ): Promise<void> => {
    if (hidden_jobs === null) return
    const at = now()
    await noteConnection(
      db,
      { clusterId: id, userId: me.id, at: new Date(at), worked },
      new Date(at - NOTED_FOR_MS),
    )
  }
  return {
    /** Their own connection was just used. */
    worked: (me: { id: string }, cluster: StoredCluster) => note(me, cluster, true),
    /** The person viewed the queue. This counts only if their connection has worked before. */
    looked: (me: { id: string }, cluster: StoredCluster) => note(me, cluster, false),
  }
}
