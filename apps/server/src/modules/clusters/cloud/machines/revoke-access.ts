import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Database } from '../../../../db/database'
import { explain } from '../../../../explain'
import { defineTask, handle, type Handler } from '../../../../queue/task'
import type { Vpn } from '../../vpn/vpn'
import type { Connections } from '../../connection/connections'
import type { Reach } from '../../commands/connection'
import * as store from '../../store'
import type { FoundCluster } from '../../store'
import { withdrawAccounts } from '../../accounts/accounts'
import { runOn } from '../../commands/run-on'
import { deployedOf, type Deployed } from '../../wanted-nodes'

export const withdrawTask = defineTask('withdraw-access', z.object({}))

type Options = { db: Database; vpn: Vpn; now: () => number }

/**
 * Shuts people who may not use the cluster any more out of its machines: their accounts go, and the VPN lets them in no
 * longer. Neither waits for the other, nor for an edit that is not carried out yet. May be done twice.
 */
export async function shutOut(
  { db, vpn, now }: Options,
  { cluster, deployed, reach }: { cluster: FoundCluster; deployed: Deployed; reach: Reach },
): Promise<void> {
  const say = (text: string) => store.addLine(db.kysely, cluster.id, 'change', new Date(now()), text)
  const accounts = async () => {
    const names = await withdrawAccounts(db.kysely, cluster.id, reach, new Date(now()))
    if (names.length > 0) await say(`Removed from the machines: ${names.join(', ')}`)
  }
  const certificates = async () => {
    if (!(await vpn.letsInTooMany(cluster.id))) return
    const turned = await vpn.settle(cluster, deployed, (command) => runOn(reach, command), { edited: true })
    if (turned) await say('The VPN does not let in any more who may not use the cluster')
  }
  const failed = (await Promise.allSettled([accounts(), certificates()])).flatMap((one) =>
    one.status === 'rejected' ? [explain(one.reason)] : [],
  )
  if (failed.length > 0) throw new Error(failed.join('. '))
}

/** Clusters that run are looked at all the time; the others that have machines are tried now and then, until it is done. */
export const withdrawHandler = (
  options: Options & { connections: Pick<Connections, 'admin'>; log: Logger },
): Handler =>
  handle(withdrawTask, async () => {
    const { db, connections, log } = options
    await Promise.all(
      (await store.withMachinesUnwatched(db.kysely)).map(async (cluster) => {
        const deployed = deployedOf(cluster)
        if (!deployed || deployed.simulated) return
        try {
          const reach = await connections.admin(cluster)
          await shutOut(options, { cluster, deployed, reach })
          // Also when the head node was away at the moment that a certificate was revoked.
          await options.vpn.settle(cluster, deployed, (command) => runOn(reach, command), { edited: true })
        } catch (error) {
          const reason = explain(error)
          log.warn({ cluster: cluster.id, reason }, 'people could not be shut out of a cluster yet')
        }
      }),
    )
  })
