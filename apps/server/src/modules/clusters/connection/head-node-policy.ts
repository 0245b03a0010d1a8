import { isInCloud } from '@flotilla/contract/clusters/entity'
import { isAdmin } from '@flotilla/contract/access'
import type { SecuritySettings } from '@flotilla/contract/site/settings'
import type { Caller } from '../../../http/caller'
import type { Attempts } from '../../attempts/attempts'
import type { StoredCluster } from '../stored-cluster'
import { connectionSettings, type ConnectionTarget } from './settings'

/** Limits connections to hosts and ports that a user enters: enough for people, too few to scan a network. */
const NEW_HOSTS_MAX = 20
const NEW_HOSTS_WINDOW_MS = 60_000

type Options = { attempts: Attempts; security: () => Promise<SecuritySettings> }

export type HeadNodePolicy = ReturnType<typeof makeHeadNodePolicy>
/** Decides which head nodes this server connects to for whom, and how often. */
export function makeHeadNodePolicy({ attempts, security }: Options) {
  /** Counts a connection to an address that a user entered. Connections of admins are not counted. */
  const count = async (me: Pick<Caller, 'id' | 'role'>): Promise<void> => {
    if (isAdmin(me)) return
    await attempts.limit(`dial ${me.id}`, NEW_HOSTS_MAX, NEW_HOSTS_WINDOW_MS, 'connected to new head nodes')
  }

  return {
    count,

    /** Counts only new head nodes: one that the console has logged in to before is not new. */
    async countNew(me: Pick<Caller, 'id' | 'role'>, cluster: StoredCluster): Promise<void> {
      const isNew =
        !isInCloud(cluster) && cluster.host_key === null && connectionSettings(cluster).head !== null
      if (isNew) await count(me)
    },

    /** Checked whenever a connection is opened, as a name may resolve differently by then. */
    async mayBePrivate(cluster: ConnectionTarget): Promise<boolean> {
      const isAdmins = cluster.private_address_allowed || cluster.owner_is_admin
      // The cloud assigned the addresses of its machines.
      return isAdmins || isInCloud(cluster) || (await security()).privateHeadNodes
    },

    privateHeadNodes: async (): Promise<boolean> => (await security()).privateHeadNodes,
  }
}
