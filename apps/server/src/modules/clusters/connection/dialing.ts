import type { SecuritySettings } from '@flotilla/contract/site/settings'
import type { Caller } from '../../../http/caller'
import type { Attempts } from '../../attempts/attempts'
import type { FoundCluster } from '../store'
import { connectionSettings } from './settings'

/** This server connects to any host and port that someone enters: enough for people, too slow to search a network. */
const DIALS_MAX = 20
const DIALS_WINDOW_MS = 60_000

type Options = { attempts: Attempts; security: () => Promise<SecuritySettings> }

export type Dialing = ReturnType<typeof makeDialing>
/** Which head nodes this server connects to for whom, and how often. */
export function makeDialing({ attempts, security }: Options) {
  /** One more connection to an address that someone entered. What admins connect to is not counted. */
  const count = async (me: Pick<Caller, 'id' | 'role'>): Promise<void> => {
    if (me.role.includes('admin')) return
    await attempts.limit(`dial ${me.id}`, DIALS_MAX, DIALS_WINDOW_MS, 'connected to new head nodes')
  }

  return {
    count,

    /** The same where the console may connect: a head node that it has logged in to before is not new. */
    async countNew(me: Pick<Caller, 'id' | 'role'>, cluster: FoundCluster): Promise<void> {
      const isNew =
        cluster.provider === 'local' && cluster.host_key === null && connectionSettings(cluster).head !== null
      if (isNew) await count(me)
    },

    /** Asked whenever a connection is opened, as a name may lead elsewhere by then. */
    async mayBePrivate(cluster: FoundCluster): Promise<boolean> {
      const isAdmins = cluster.private_address_allowed || cluster.owner_is_admin
      // Machines in a cloud have the addresses that the cloud gave them.
      return isAdmins || cluster.provider !== 'local' || (await security()).privateHeadNodes
    },

    privateHeadNodes: async (): Promise<boolean> => (await security()).privateHeadNodes,
  }
}
