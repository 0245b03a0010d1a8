import { sql, type Insertable } from 'kysely'
import * as z from 'zod/mini'
import type { Queryable, Transaction } from '../../../db/database'
import type { Tables } from '../../../db/tables'
import { maySee } from '../store'

const Networks = z.nullable(z.array(z.string()))

export const find = async (db: Queryable, clusterId: string) => {
  const row = await db
    .selectFrom('cluster_vpn')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst()
  return row && { ...row, networks: Networks.parse(row.networks) }
}

/** Stores the keys. If two requests create them at once, the first one wins. */
export const keep = (db: Queryable, row: Insertable<Tables['cluster_vpn']>) =>
  db
    .insertInto('cluster_vpn')
    .values(row)
    .onConflict((conflict) => conflict.column('cluster_id').doNothing())
    .execute()

/** Returns the next serial number. The row is locked, so that serial numbers are never reused. */
export const nextSerial = async (tx: Transaction, clusterId: string): Promise<number> =>
  (
    await tx
      .updateTable('cluster_vpn')
      .set((row) => ({ last_serial: row('last_serial', '+', 1) }))
      .where('cluster_id', '=', clusterId)
      .returning('last_serial')
      .executeTakeFirstOrThrow()
  ).last_serial

export const addClient = (tx: Transaction, row: Insertable<Tables['cluster_vpn_clients']>) =>
  tx.insertInto('cluster_vpn_clients').values(row).execute()

/** The person's newest certificate that is not revoked. */
export const clientOf = (db: Queryable, clusterId: string, userId: string) =>
  db
    .selectFrom('cluster_vpn_clients')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('serial', 'desc')
    .executeTakeFirst()

/** All certificates ever issued, and whether their holders may still see the cluster. */
export const clients = (db: Queryable, clusterId: string, at: Date) =>
  db
    .selectFrom('cluster_vpn_clients')
    .select(['serial', 'revoked_at'])
    .select(maySee(sql`cluster_vpn_clients.cluster_id`, sql`cluster_vpn_clients.user_id`, at).as('may_see'))
    .where('cluster_id', '=', clusterId)
    .orderBy('serial')
    .execute()

export const revoke = (db: Queryable, clusterId: string, serials: number[], at: Date) =>
  db
    .updateTable('cluster_vpn_clients')
    .set({ revoked_at: at })
    .where('cluster_id', '=', clusterId)
    .where('serial', 'in', serials)
    .execute()

/** Records what is installed on the head node, or null for nothing. */
export const setInstalled = (
  db: Queryable,
  clusterId: string,
  installed: { mark: string; networks: string[] } | null,
) =>
  db
    .updateTable('cluster_vpn')
    .set({
      installed: installed?.mark ?? null,
      networks: installed && JSON.stringify(installed.networks),
    })
    .where('cluster_id', '=', clusterId)
    .execute()
