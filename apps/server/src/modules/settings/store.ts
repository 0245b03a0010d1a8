import type { Preferences } from '@flotilla/contract/settings'
import type { Queryable } from '../../db/database'

export const personal = (db: Queryable, userId: string) =>
  db.selectFrom('users').select(['providers', 'preferences']).where('id', '=', userId).executeTakeFirst()

export const setPreferences = (db: Queryable, userId: string, preferences: Preferences) =>
  db
    .updateTable('users')
    .set({ preferences: JSON.stringify(preferences) })
    .where('id', '=', userId)
    .execute()

export const site = (db: Queryable) =>
  db
    .selectFrom('site_settings')
    .select(['vnc_token_authentication as vncTokenAuthentication', 'vnc_remote_client as vncRemoteClient'])
    .executeTakeFirstOrThrow()
