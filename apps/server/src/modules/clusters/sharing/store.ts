import { sql, type Insertable } from 'kysely'
import type { Queryable, Transaction } from '../../../db/database'
import type { Tables } from '../../../db/tables'

export async function addLdapCollaborators(
  tx: Transaction,
  rows: Insertable<Tables['cluster_ldap_collaborators']>[],
): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('cluster_ldap_collaborators')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
export const removeLdapCollaborator = (tx: Transaction, clusterId: string, serverId: string, dnKey: string) =>
  tx
    .deleteFrom('cluster_ldap_collaborators')
    .where('cluster_id', '=', clusterId)
    .where('server_id', '=', serverId)
    .where('dn_key', '=', dnKey)
    .execute()

/** Users who are this directory entry, or who are in this group. */
export const usersOfEntry = async (db: Queryable, serverId: string, dnKey: string): Promise<string[]> =>
  (
    await db
      .selectFrom('ldap_accounts')
      .select('user_id')
      .where('server_id', '=', serverId)
      .where(sql<boolean>`(dn_key = ${dnKey} or ${dnKey} = any(groups))`)
      .execute()
  ).map((row) => row.user_id)
