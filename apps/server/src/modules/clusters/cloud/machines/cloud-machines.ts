import { allowsEveryone } from '@flotilla/contract/clusters/ranges'
import type { Database } from '../../../../db/database'
import { runOn } from '../../commands/run-on'
import type { Connections } from '../../connection/connections'
import type { Vpn } from '../../vpn/vpn'
import { awaitHeadNode } from './await-head-node'
import type { MachineKind } from './machines'
import type { Reconciler } from './reconcile'
import { revokeAccess } from './revoke-access'

type Options = {
  db: Database
  vpn: Vpn
  connections: Pick<Connections, 'admin'>
  reconciler: Reconciler
  now: () => number
}

/** Machines in a cloud: they set themselves up, and the console works on the head node over SSH. */
export function makeCloudMachines(options: Options): MachineKind {
  const { vpn, connections, reconciler } = options
  return {
    beforeChange: (cluster, deployed, run) =>
      reconciler.before(cluster, deployed, () => connections.admin(cluster), run.log),

    async bringUp(cluster, deployed, before, run) {
      const { allowed_ranges } = cluster.data.network
      const ranges = allowsEveryone(allowed_ranges) ? [] : allowed_ranges
      await awaitHeadNode(() => connections.admin(cluster), deployed, ranges, run)
      await reconciler.after(cluster, deployed, before, await connections.admin(cluster), run.log)
    },

    maintain: reconciler.maintain,

    async revokeAccess(cluster, deployed) {
      const connection = await connections.admin(cluster)
      await revokeAccess(options, { cluster, deployed, connection })
      // A certificate may have been revoked while the head node was unreachable.
      await vpn.reconcile(cluster, deployed, (command) => runOn(connection, command), { edited: true })
    },

    // The cloud stops them.
    shutDown: async () => {},
  }
}
