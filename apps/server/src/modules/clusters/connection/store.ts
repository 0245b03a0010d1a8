import { sql } from 'kysely'
import type { Queryable, Transaction } from '../../../db/database'
import { isAdminSql, isParticipantSql, shared, sharedByDirectory } from '../../../db/owned'

const { isSharedWith, unshare } = shared('clusters')

/** The cluster's current owner, and the connection that this person accepted. */
export const acceptance = (db: Queryable, clusterId: string, userId: string) =>
  db
    .selectFrom('clusters')
    .innerJoin('users as owner', 'owner.id', 'clusters.owner_id')
    .leftJoin('cluster_acceptances as a', (join) =>
      join.onRef('a.cluster_id', '=', 'clusters.id').on('a.user_id', '=', userId),
    )
    .select(['clusters.owner_id', 'a.connection as accepted'])
    .select(
      sql<boolean>`exists (select from users u where u.id = ${userId} and ${isParticipantSql(sql`u.role`)})`.as(
        'is_participant',
      ),
    )
    .select(isAdminSql(sql`owner.role`).as('owner_is_admin'))
    .select(
      sql<boolean>`${isSharedWith(sql`${userId}`)} or ${sharedByDirectory(sql`${userId}`)}`.as('shared'),
    )
    .where('clusters.id', '=', clusterId)
    .executeTakeFirst()
export const accept = (tx: Transaction, clusterId: string, userId: string, connection: string, at: Date) =>
  tx
    .insertInto('cluster_acceptances')
    .values({ cluster_id: clusterId, user_id: userId, connection, accepted_at: at })
    .onConflict((conflict) =>
      conflict.columns(['cluster_id', 'user_id']).doUpdateSet({ connection, accepted_at: at }),
    )
    .execute()
/**
 * Also removes the share with this person. A share with a group stays for its other members, and is not used for this
 * person without acceptance.
 */
export async function decline(tx: Transaction, clusterId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('cluster_acceptances')
    .where('cluster_id', '=', clusterId)
    .where('user_id', '=', userId)
    .execute()
  await unshare(tx, clusterId, userId)
  await sql`delete from cluster_ldap_collaborators c using ldap_accounts a where c.cluster_id = ${clusterId}
    and a.user_id = ${userId} and a.server_id = c.server_id and a.dn_key = c.dn_key`.execute(tx)
}

/**
 * Records that this person's own connection is in use, unless that was recorded after `since`. Only a connection that
 * worked creates the first record.
 */
export const noteConnection = (
  db: Queryable,
  { clusterId, userId, at, worked }: { clusterId: string; userId: string; at: Date; worked: boolean },
  since: Date,
) =>
  worked
    ? db
        .insertInto('cluster_connections')
        .values({ cluster_id: clusterId, user_id: userId, used_at: at })
        .onConflict((conflict) =>
          conflict
            .columns(['cluster_id', 'user_id'])
            .doUpdateSet({ used_at: at })
            .where('cluster_connections.used_at', '<', since),
        )
        .execute()
    : db
        .updateTable('cluster_connections')
        .set({ used_at: at })
        .where('cluster_id', '=', clusterId)
        .where('user_id', '=', userId)
        .where('used_at', '<', since)
        .execute()
