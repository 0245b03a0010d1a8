import { sql } from 'kysely'
import * as z from 'zod/mini'
import { SecurityChoices, strictSecurity } from '@flotilla/contract/site/settings'
import { type PreferencesChange } from '@flotilla/contract/site/ui'
import type { StoredChoices } from '@flotilla/contract/site/config'
import type { Announcement } from '@flotilla/contract/site/announcement'
import type { TorqueSetting } from '@flotilla/contract/site/torque-source'
import type { Database, Queryable, Transaction } from '../../db/database'
import { isAdminSql } from '../../db/owned'
import { prepare } from '../../db/connection/prepared'
import { notifyIdentityChanged } from '../../live/live'
import type { Logo } from './logo'

export const personal = (db: Queryable, userId: string) =>
  db
    .selectFrom('users')
    .select(['providers', 'preferences', 'participant_email'])
    .where('id', '=', userId)
    .executeTakeFirst()

export const setPreferences = (db: Queryable, userId: string, change: PreferencesChange) =>
  db
    .updateTable('users')
    .set({ preferences: sql`users.preferences || ${JSON.stringify(change)}::jsonb` })
    .where('id', '=', userId)
    .execute()

export const site = (db: Queryable) =>
  db
    .selectFrom('site_settings')
    .select([
      'vnc_token_authentication as vncTokenAuthentication',
      'vnc_remote_client as vncRemoteClient',
      'drift_check as driftCheck',
      'price_per_core_hour as perCoreHour',
      'price_per_gpu_hour as perGpuHour',
      'prices_set_at as setAt',
    ])
    .executeTakeFirstOrThrow()

export const setLocalPrices = (
  db: Queryable,
  { perCoreHour, perGpuHour }: { perCoreHour: number | null; perGpuHour: number | null },
  at: Date,
) =>
  db
    .updateTable('site_settings')
    .set({ price_per_core_hour: perCoreHour, price_per_gpu_hour: perGpuHour, prices_set_at: at })
    .execute()

export const setClusterDefaults = (
  db: Queryable,
  given: { vncTokenAuthentication: boolean; vncRemoteClient: boolean; driftCheck?: boolean | undefined },
) =>
  db
    .updateTable('site_settings')
    .set({
      vnc_token_authentication: given.vncTokenAuthentication,
      vnc_remote_client: given.vncRemoteClient,
      ...(given.driftCheck !== undefined && { drift_check: given.driftCheck }),
    })
    .execute()

const selectChoices = (db: Queryable) => db.selectFrom('site_settings').select(['config', 'intro_html'])
export const choices = (db: Queryable) => selectChoices(db).executeTakeFirstOrThrow()
/** Locks the settings until the transaction ends. */
export const lockedChoices = async (tx: Transaction): Promise<unknown> =>
  (await selectChoices(tx).forUpdate().executeTakeFirstOrThrow()).config
export const setChoices = (db: Queryable, config: StoredChoices) =>
  db
    .updateTable('site_settings')
    .set({ config: JSON.stringify(config) })
    .execute()
export const setIntro = (db: Queryable, intro_html: string | null) =>
  db.updateTable('site_settings').set({ intro_html }).execute()

export const logo = (db: Queryable, name: string): Promise<Logo | undefined> =>
  db.selectFrom('site_logo').select(['name', 'type', 'bytes']).where('name', '=', name).executeTakeFirst()
export const removeLogo = (db: Queryable) => db.deleteFrom('site_logo').execute()
export async function setLogo(tx: Transaction, { name, type, bytes }: Logo): Promise<void> {
  await removeLogo(tx)
  await tx
    .insertInto('site_logo')
    .values({ name, type, bytes: Buffer.from(bytes) })
    .execute()
}

export const torqueSource = async (db: Queryable): Promise<unknown> =>
  (await db.selectFrom('site_settings').select('torque_source').executeTakeFirstOrThrow()).torque_source

export const setTorqueSource = (db: Queryable, source: TorqueSetting['source']) =>
  db
    .updateTable('site_settings')
    .set({ torque_source: source && JSON.stringify(source) })
    .execute()

export const announcement = async (db: Queryable): Promise<unknown> =>
  (await db.selectFrom('site_settings').select('announcement').executeTakeFirstOrThrow()).announcement

export const setAnnouncement = (db: Queryable, given: Announcement | null) =>
  db
    .updateTable('site_settings')
    .set({ announcement: given && JSON.stringify(given) })
    .execute()

/** Settings that were never chosen have their strict values. */
const withDefaults = ({ security }: { security: unknown }): SecurityChoices => ({
  ...strictSecurity,
  ...z.partial(SecurityChoices).parse(security),
})
const selectSecurity = (db: Queryable) => db.selectFrom('site_settings').select('security')

export const security = async (db: Queryable): Promise<SecurityChoices> =>
  withDefaults(await selectSecurity(db).executeTakeFirstOrThrow())

/** Locks the settings until the transaction ends. */
export const lockedSecurity = async (tx: Transaction): Promise<SecurityChoices> =>
  withDefaults(await selectSecurity(tx).forUpdate().executeTakeFirstOrThrow())

export const changeSecurity = (db: Queryable, change: Partial<SecurityChoices>) =>
  db
    .updateTable('site_settings')
    .set({ security: sql`security || ${JSON.stringify(change)}::jsonb` })
    .execute()

const unapproved = sql<boolean>`registered and approved_at is null and not ${isAdminSql(sql`role`)}`

const findUnapproved = prepare<object>('an unapproved person', (db) =>
  db
    .selectFrom('users')
    .select('id')
    .where('id', '=', sql<string>`$1`)
    .where(unapproved)
    .compile(),
)
/** Whether the user registered themselves and no admin has approved them. */
export const isUnapproved = async (db: Database, userId: string): Promise<boolean> =>
  (await findUnapproved(db, [userId])).length > 0

/** Counts only users who could log in. */
export const countUnapproved = async (db: Queryable): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('users')
        .select((row) => row.fn.countAll().as('count'))
        .where(unapproved)
        .where('verified', '=', true)
        .executeTakeFirstOrThrow()
    ).count,
  )

/** Announces that the rights of these users have changed. */
export const notifyUnapproved = async (tx: Transaction): Promise<void> => {
  const people = await tx.selectFrom('users').select('id').where(unapproved).execute()
  for (const { id } of people) await notifyIdentityChanged(tx, id)
}
