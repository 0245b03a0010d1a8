import type { Queryable } from '../../db/database'

export const uploaded = async (db: Queryable): Promise<unknown> =>
  (await db.selectFrom('site_settings').select('license').executeTakeFirstOrThrow()).license

export const setUploaded = (db: Queryable, license: object | null) =>
  db
    .updateTable('site_settings')
    .set({ license: license && JSON.stringify(license) })
    .execute()
