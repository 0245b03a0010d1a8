import { sql } from 'kysely'
import type { Queryable, Transaction } from './database'

/** Things that belong to somebody and are shared by name, and the column that names one among those it is shared with. */
const links = {
  clusters: { collaborators: 'cluster_collaborators', thing: 'cluster_id' },
  credentials: { collaborators: 'credential_collaborators', thing: 'credential_id' },
  stacks: { collaborators: 'stack_collaborators', thing: 'stack_id' },
} as const

export function owned(table: keyof typeof links) {
  const things = sql.table(table)
  const collaborators = sql.table(links[table].collaborators)
  const thing = sql.ref(links[table].thing)
  return {
    async setCollaborators(tx: Transaction, id: string, userIds: string[]): Promise<void> {
      await sql`delete from ${collaborators} where ${thing} = ${id}`.execute(tx)
      await sql`insert into ${collaborators} (${thing}, user_id) select ${id}::text, unnest(${userIds}::text[])`.execute(
        tx,
      )
    },

    async ownedBy(db: Queryable, ownerId: string): Promise<{ id: string; name: string }[]> {
      const found = await sql<{ id: string; name: string }>`
        select id, name from ${things} where owner_id = ${ownerId} order by name`.execute(db)
      return found.rows
    },

    /** Whoever owns it now needs no share of it. */
    async handOver(tx: Transaction, from: string, to: string): Promise<void> {
      await sql`
        with moved as (update ${things} set owner_id = ${to} where owner_id = ${from} returning id)
        delete from ${collaborators} where user_id = ${to} and ${thing} in (select id from moved)`.execute(tx)
    },
  }
}
