import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Database } from '../../../../db/database'
import { explain } from '../../../../explain'
import { defineTask, handle, type Handler } from '../../../../queue/task'
import type { Vpn } from '../../vpn/vpn'
import type { ClusterConnection } from '../../commands/connection'
import * as store from '../../store'
import type { CloudCluster, Deployed } from '../../stored-cluster'
import { withdrawAccounts } from '../../accounts/accounts'
import { runOn } from '../../commands/run-on'
import type { Machines } from './machines'

export const revokeAccessTask = defineTask('withdraw-access', z.object({}))

type Options = { db: Database; vpn: Vpn; now: () => number }

/**
 * Users who may no longer use the cluster lose access to its machines: their accounts are removed, and the VPN rejects
 * them. Neither waits for the other, nor for a pending edit. Idempotent.
 */
export async function revokeAccess(
  { db, vpn, now }: Options,
  {
    cluster,
    deployed,
    connection,
  }: { cluster: CloudCluster; deployed: Deployed; connection: ClusterConnection },
): Promise<void> {
  const addLine = (text: string) => store.addLine(db.kysely, cluster.id, 'change', new Date(now()), text)
  const accounts = async () => {
    const names = await withdrawAccounts(db.kysely, cluster.id, connection, new Date(now()))
    if (names.length > 0) await addLine(`Removed accounts from the machines: ${names.join(', ')}`)
  }
  const certificates = async () => {
    if (!(await vpn.hasStaleClients(cluster.id))) return
    const turned = await vpn.reconcile(cluster, deployed, (command) => runOn(connection, command), {
      edited: true,
    })
    if (turned) await addLine('The VPN now rejects users who may no longer use the cluster')
  }
  const failed = (await Promise.allSettled([accounts(), certificates()])).flatMap((one) =>
    one.status === 'rejected' ? [explain(one.reason)] : [],
  )
  if (failed.length > 0) throw new Error(failed.join('. '))
}

/** Running clusters are polled constantly; the others that have machines are retried periodically until this succeeds. */
export const revokeAccessHandler = ({
  db,
  machines,
  log,
}: {
  db: Database
  machines: Pick<Machines, 'revokeAccess'>
  log: Logger
}): Handler =>
  handle(revokeAccessTask, async () => {
    await Promise.all(
      (await store.withUnpolledMachines(db.kysely)).map((cluster) =>
        machines.revokeAccess(cluster).catch((error: unknown) => {
          const reason = explain(error)
          log.warn({ cluster: cluster.id, reason }, 'access to a cluster could not be revoked yet')
        }),
      ),
    )
  })
