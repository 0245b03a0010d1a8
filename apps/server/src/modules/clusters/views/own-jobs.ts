import { isAdmin, isParticipant } from '@flotilla/contract/access'
import type { Caller } from '../../../http/caller'
import { viewerOf } from '../../sharing/sharing'
import type { StoredCluster } from '../stored-cluster'

/**
 * True for participants, and for non-admins where the site hides other users' jobs: what was read as one user must not
 * be shown to another.
 */
export const seesOwnJobsOnly = (me: Caller, { hidden_jobs }: Pick<StoredCluster, 'hidden_jobs'>): boolean =>
  isParticipant(me) || (hidden_jobs !== null && !isAdmin(me))

export const queueViewer = (me: Caller, cluster: StoredCluster) => ({
  ...viewerOf(me),
  username: me.username,
  ownOnly: seesOwnJobsOnly(me, cluster),
})
