import type { Queryable } from '../../db/database'

export const active = (db: Queryable) =>
  db
    .selectFrom('ldap_servers')
    .select(['id', 'name'])
    .where('active', '=', true)
    .orderBy('created_at')
    .execute()
