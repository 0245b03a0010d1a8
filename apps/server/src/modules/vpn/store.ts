import type { Insertable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { Tables } from '../../db/tables'

export const find = (db: Queryable, clusterId: string) =>
  db.selectFrom('cluster_vpn').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst()

/** Of two who begin at once the first one counts. */
export const keep = (db: Queryable, row: Insertable<Tables['cluster_vpn']>) =>
  db
    .insertInto('cluster_vpn')
    .values(row)
    .onConflict((conflict) => conflict.column('cluster_id').doNothing())
    .execute()

/** Holds the row: serial numbers are given once. */
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

/** The newest certificate of a person that still counts. */
export const clientOf = (db: Queryable, clusterId: string, userId: string) =>
  db
    .selectFrom('cluster_vpn_clients')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('serial', 'desc')
    .executeTakeFirst()

export const clients = (db: Queryable, clusterId: string) =>
  db
    .selectFrom('cluster_vpn_clients')
    .leftJoin('users', 'users.id', 'cluster_vpn_clients.user_id')
    .select(['serial', 'user_id', 'revoked_at', 'users.role'])
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

export const setInstalled = (db: Queryable, clusterId: string, installed: string | null) =>
  db.updateTable('cluster_vpn').set({ installed }).where('cluster_id', '=', clusterId).execute()
