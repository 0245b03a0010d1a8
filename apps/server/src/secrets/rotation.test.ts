import { copyFile, readdir, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { testSite } from '../../test/support/database/backup'
import { newDatabase } from '../../test/support/database/database'
import { testSystem } from '../../test/support/app/audit'
import { silentRotation } from '../../test/support/database/rotation'
import { runScript } from '../../test/support/console/script'
import { soakIt } from '../../test/support/soak'
import type { Database } from '../db/database'
import { requireSameKey } from '../db/maintenance/same-key'
import { shareSite, lockSite } from '../db/maintenance/site-lock'
import { makeQueueMail, sendMail } from '../mail/tasks'
import { openAccessTokens } from '../modules/access-tokens/open'
import { finishRotation } from './rotation'
import { sealContext, sealedColumns } from './sealed-values'
import { markOf, openMasterKey, type Secrets } from './secrets'

/** `npm run soak` raises this number. */
const KILLS = Number(process.env.FLOTILLA_KILLS ?? 3)

/** Stores a secret in every column that can have one, and `more` additional credentials. */
async function fill(db: Database, secrets: Secrets, more = 0) {
  const sealed = (context: string) => secrets.seal(`secret of ${context}`, context)
  const { kysely } = db
  await sql`insert into users (id, username, first_name, last_name, email, role, verified, created_at)
    values ('u', 'u', '', '', '', array['user'], true, now())`.execute(kysely)
  await sql`insert into sessions values ('s', 'u', now(), now(), now() + interval '1 day', '', '')`.execute(
    kysely,
  )
  await sql`insert into user_ssh_keys values ('u', '', ${sealed(sealContext.userSshKey('u'))}, now())`.execute(
    kysely,
  )
  const credential = (id: string) =>
    sql`insert into credentials (id, owner_id, name, description, provider, sealed_data, created_at, updated_at)
      values (${id}, 'u', '', '', 'aws', ${sealed(sealContext.credential(id))}, now(), now())`.execute(kysely)
  for (let n = 0; n <= more; n++) await credential(`c${n}`)
  await sql`insert into stacks (id, owner_id, name, description, provider, builder, credential_id, state, state_since, data,
      rhel_organization_id, sealed_activation_key, created_at, updated_at)
    values ('t', 'u', '', '', 'aws', '', 'c0', 'saved', now(), '{}', '', ${sealed(sealContext.stackRhelKey('t'))}, now(), now())`.execute(
    kysely,
  )
  await sql`insert into clusters (id, owner_id, name, description, provider, state, state_since, data, created_at,
      sealed_private_key, sealed_given_key, sealed_secrets, sealed_activation_key)
    values ('k', 'u', '', '', 'aws', 'saved', now(), '{}', now(), ${sealed(sealContext.clusterKey('k'))},
      ${sealed(sealContext.clusterGivenKey('k'))}, ${sealed(sealContext.clusterSecrets('k'))}, ${sealed(sealContext.clusterRhelKey('k'))})`.execute(
    kysely,
  )
  await sql`insert into cluster_vpn (cluster_id, sealed, last_serial) values ('k', ${sealed(sealContext.clusterVpn('k'))}, 3)`.execute(
    kysely,
  )
  await sql`insert into cluster_vpn_clients (cluster_id, serial, sealed, made_at, expires_at)
    values ('k', 3, ${sealed(sealContext.clusterVpnClient('k', 3))}, now(), now())`.execute(kysely)
  await sql`insert into ldap_servers (id, name, active, settings, sealed_password, created_at)
    values ('l', '', true, '{}', ${sealed(sealContext.ldapServer('l'))}, now())`.execute(kysely)
  await sql`insert into desktops (id, cluster_id, user_id, state, sealed_password, created_at, last_activity_at, last_seen_at)
    values ('d', 'k', 'u', 'running', ${sealed(sealContext.desktopPassword('d'))}, now(), now(), now())`.execute(
    kysely,
  )
  await sql`update site_settings set sealed_mail_password = ${sealed(sealContext.mailPassword())}`.execute(
    kysely,
  )
}

/** Opens every sealed value and fails if one cannot be opened. Returns how many columns have values. */
async function openAll(db: Database, secrets: Secrets): Promise<number> {
  let places = 0
  for (const { table, column, key, context } of sealedColumns) {
    const keys = sql.join(key.map((one) => sql`${sql.ref(one)}::text`))
    const { rows } = await sql<{
      key: string[]
      sealed: string
    }>`select array[${keys}] as key, ${sql.ref(column)} as sealed
      from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(db.kysely)
    for (const row of rows) {
      const opened = secrets.open(row.sealed, context(row.key)).toString()
      if (!['sealed_token_key', 'sealed_key'].includes(column))
        expect(opened).toBe(`secret of ${context(row.key)}`)
    }
    places += Number(rows.length > 0)
  }
  return places
}

/** Opens the master key as a server does when it starts. */
async function start(db: Database, file: string): Promise<Secrets> {
  await finishRotation(db, file)
  const secrets = await openMasterKey(file)
  await requireSameKey(db, markOf(secrets))
  return secrets
}

test('every secret opens with the new key only; access tokens keep working, sessions end', async () => {
  const { db, secrets, masterKeyFile, queue } = await testSite()
  await fill(db, secrets)
  await db.transaction((tx) =>
    makeQueueMail(queue, secrets)(tx, { to: 'a@example.org', subject: 's', text: 'code' }),
  )
  const now = Date.now
  const tokens = await openAccessTokens({ db, secrets, now })
  const person = { id: 'u', username: 'u', role: ['user' as const] }
  const context = { transaction: db.transaction, ...testSystem } as never
  const { secret } = await tokens.api.create(person as never, { name: 'n', scope: 'read', days: 1 }, context)

  const old = await readFile(masterKeyFile, 'utf8')
  for (let round = 1; round <= 2; round++) {
    const { secrets: count } = await silentRotation(db.url, masterKeyFile)
    expect(count).toBe(round === 1 ? 13 : 14)
    expect(await readFile(masterKeyFile, 'utf8')).not.toBe(old)
    expect(await readdir(path.dirname(masterKeyFile))).toEqual(['master.key'])
    const after = await start(db, masterKeyFile)
    expect(await openAll(db, after)).toBe(sealedColumns.length)
    await expect(openAll(db, secrets)).rejects.toThrow('cannot be decrypted')
    const { rows } = await sql<{
      payload: unknown
    }>`select payload from graphile_worker._private_jobs`.execute(db.kysely)
    const { sealed } = sendMail.schema.parse(rows[0]?.payload)
    expect(after.open(sealed, sealContext.mail()).toString()).toContain('code')
    const reopened = await openAccessTokens({ db, secrets: after, now })
    expect(await reopened.api.authenticate(secret, '')).toMatchObject({ id: 'u' })
  }
  expect(await db.kysely.selectFrom('sessions').selectAll().execute()).toEqual([])
  const lines = await db.kysely.selectFrom('activities').select(['action', 'subject']).execute()
  expect(lines.filter(({ action }) => action === 'rotated')).toHaveLength(2)
})

test(`kill -9 at any moment, ${KILLS} times, leaves a key that opens everything`, async () => {
  const { db, secrets, masterKeyFile } = await testSite()
  await fill(db, secrets, 300)
  for (let round = 0; round < KILLS; round++) {
    const script = await runScript('rotate-key', { DATABASE_URL: db.url, MASTER_KEY_FILE: masterKeyFile })
    await script.line('begin')
    await sleep(60 * round)
    await script.kill()
    expect(await openAll(db, await start(db, masterKeyFile))).toBeGreaterThan(8)
  }
  await silentRotation(db.url, masterKeyFile)
  await openAll(db, await start(db, masterKeyFile))
})

test('a kill before the database changed keeps the old key; a kill after it installs the new one', async () => {
  const { db, secrets, masterKeyFile } = await testSite()
  await fill(db, secrets)
  const old = `${masterKeyFile}.kept`
  await copyFile(masterKeyFile, old)
  await openMasterKey(`${masterKeyFile}.new`)
  expect(await openAll(db, await start(db, masterKeyFile))).toBeGreaterThan(8)
  await silentRotation(db.url, masterKeyFile)
  await rename(masterKeyFile, `${masterKeyFile}.new`)
  await rename(old, masterKeyFile)
  expect(await openAll(db, await start(db, masterKeyFile))).toBe(sealedColumns.length)
})

test('a sealed value in an unknown column stops the rotation before it changes anything', async () => {
  const { db, secrets, masterKeyFile } = await testSite()
  await fill(db, secrets)
  const settings = JSON.stringify({ password: secrets.seal('x', 'ldap') })
  await sql`insert into ldap_servers (id, name, active, settings, created_at) values ('l2', '', true, ${settings}, now())`.execute(
    db.kysely,
  )
  await expect(silentRotation(db.url, masterKeyFile)).rejects.toThrow('cannot reseal: ldap_servers')
  await openAll(db, await start(db, masterKeyFile))
})

soakIt('servers share a database; a rotation or a restore needs exclusive use', async () => {
  const { url, drop } = await newDatabase({ bare: true })
  onTestFinished(drop)
  const [one, two] = [await shareSite(url), await shareSite(url)]
  expect(await lockSite(url)).toBeUndefined()
  await one.release()
  await two.release()
  const alone = await lockSite(url)
  onTestFinished(() => alone?.release())
  expect(alone).toBeDefined()
  await expect(shareSite(url)).rejects.toThrow('in progress on this database')
})

test('exclusive use is granted once a stopping server has ended', async () => {
  const { url, drop } = await newDatabase({ bare: true })
  onTestFinished(drop)
  const stopping = await shareSite(url)
  const [alone] = await Promise.all([lockSite(url), sleep(300).then(() => stopping.release())])
  onTestFinished(() => alone?.release())
  expect(alone).toBeDefined()
})
