import type { Queryable } from '../../../db/database'
import type { StoredCluster } from '../stored-cluster'
import { noteConnection } from './store'

/** More often would be written for nothing: for a day after it, the person's account is asked about its jobs. */
const NOTED_FOR_MS = 10 * 60_000

export type OwnConnections = ReturnType<typeof makeOwnConnections>
/** Keeps who is worth asking about their jobs: only those whose account has let the console in, as an account that does not may get locked. */
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
    /** They look at the queue. Counts only if their connection has worked before. */
    looked: (me: { id: string }, cluster: StoredCluster) => note(me, cluster, false),
  }
}
