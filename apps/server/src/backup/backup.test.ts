import { createHash } from 'node:crypto'
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { testSite, testTarget } from '../../test/support/database/backup'
import { databaseOfTest } from '../../test/support/database/database'
import { testFolder } from '../../test/support/folder'
import { until } from '../../test/support/until'
import { soakIt, variants } from '../../test/support/soak'
import { migrate } from '../db/migrate'
import { migrations } from '../db/migrations/index'
import { defineTask } from '../queue/task'
import { openMasterKey } from '../secrets/secrets'

const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

/** A hash of the rows of every table, to compare two databases. */
const contents = async (url: string): Promise<Record<string, string>> => {
  const tables = await query(
    url,
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    // The time at which a migration was applied differs between databases.
    const row = name === 'migrations' ? 'row(t.id, t.name)' : 't'
    const rows = await query(url, `select ${row}::text as row from "${String(name)}" t order by 1`)
    found[String(name)] = createHash('sha256')
      .update(rows.map((one) => String(one.row)).join('\n'))
      .digest('hex')
  }
  return found
}

const person = (id: string) =>
  sql`insert into users (id, username, first_name, last_name, email, role, verified, preferences, created_at)
    values (${id}, ${`u-${id}`}, 'Ada', ${'O\'Hara "x", (y)\n\\ ünï 🚢'}, ${`${id}@example.org`}, array['user', 'admin'], true,
      '{"a": [1.50, null, "b\\"c"]}', now())`

test('a restore elsewhere brings back every row, file and secret', async () => {
  const site = await testSite()
  const { kysely } = site.db
  await person('one').execute(kysely)
  await sql`insert into activities (time, action, subject, detail) select now(), 'did', 'x', n::text from generate_series(1, 12000) n`.execute(
    kysely,
  )
  await sql`insert into credentials (id, owner_id, name, description, provider, sealed_data, created_at, updated_at)
    values ('c', 'one', 'c', '', 'aws', ${site.secrets.seal('hidden', 'credential c')}, now(), now())`.execute(
    kysely,
  )
  await sql`insert into stacks (id, owner_id, name, description, provider, builder, credential_id, state, state_since, data, rhel_organization_id, created_at, updated_at)
    values ('s', 'one', 's', '', 'aws', 'b', 'c', 'saved', now(), 'null', '', now(), now())`.execute(kysely)
  await sql`insert into stack_files values ('s', 'f', 'n', decode('00ff0a5c22', 'hex'))`.execute(kysely)
  await site.db.transaction((tx) =>
    site.queue.add(
      tx,
      defineTask('later', z.object({ n: z.number() })),
      { n: 7 },
      { queue: 'q', key: 'k', runAt: new Date('2999-01-01') },
    ),
  )

  const at = (name: string) => path.join(site.dataDir, name)
  for (const folder of [
    'assets',
    'clusters/c1/engine/.terraform/providers',
    'clusters/c1/spool',
    'homes/ada-700001/deep',
    'plugins',
    'tmp',
    'pg18',
    'backups',
    'reserved-room',
  ])
    await mkdir(at(folder), { recursive: true })
  await writeFile(at('assets/config.json'), '{}')
  await writeFile(at('clusters/c1/engine/terraform.tfstate'), 'state', { mode: 0o600 })
  await writeFile(at('clusters/c1/engine/.terraform/providers/aws'), 'large')
  await writeFile(
    at('clusters/c1/spool/journal'),
    `{"workdir":"${at('homes')}/ada-700001/x"}\n{"torn":"${at('homes')}/`,
  )
  await writeFile(at('homes/ada-700001/deep/run.sh'), Buffer.alloc(700_000, 'x'), { mode: 0o755 })
  await writeFile(
    Buffer.concat([Buffer.from(at('homes/ada-700001/')), Buffer.from([0xff, 0xfe])]),
    'odd name',
  )
  await symlink('/etc/passwd', at('homes/ada-700001/link'))
  await link(at('homes/ada-700001/deep/run.sh'), at('homes/ada-700001/same'))
  await utimes(at('homes/ada-700001/deep/run.sh'), 1e9, 1e9)
  await chmod(at('homes/ada-700001/deep'), 0o500)
  for (const name of [
    'pg18/x',
    'plugins/x',
    'tmp/x',
    'backups/x',
    'reserved-room/0',
    'clusters/c1/spool/daemon.lock',
    'pg-password',
    'assets/a.0123456789ab.new',
  ])
    await writeFile(at(name), 'not wanted')
  const socket = net.createServer().listen(at('clusters/c1/spool/socket'))
  onTestFinished(() => void socket.close())

  const { file, ...made } = await site.backup()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(path.dirname(file))).toEqual(['site.backup'])
  expect(made).toMatchObject({ encrypted: false, skipped: [], bytes: (await stat(file)).size })

  const target = await testTarget()
  const restored = await target.restore(file)
  expect(restored).toMatchObject({ rows: made.rows, files: made.files })
  expect(await contents(target.databaseUrl)).toEqual(await contents(site.db.url))

  const to = (name: string) => path.join(target.dataDir, name)
  expect((await readdir(target.dataDir)).toSorted()).toEqual(['assets', 'clusters', 'homes', 'master.key'])
  expect(await readFile(to('clusters/c1/engine/terraform.tfstate'), 'utf8')).toBe('state')
  expect(await readdir(to('clusters/c1/engine/.terraform'))).toEqual([])
  expect(await readdir(to('clusters/c1/spool'))).toEqual(['journal'])
  // The paths of waiting jobs lead to the homes at their new place.
  expect(await readFile(to('clusters/c1/spool/journal'), 'utf8')).toBe(
    `{"workdir":"${to('homes')}/ada-700001/x"}\n{"torn":"${to('homes')}/`,
  )
  expect(await readlink(to('homes/ada-700001/link'))).toBe('/etc/passwd')
  expect(
    (await readdir(to('homes/ada-700001'), { encoding: 'buffer' })).map((name) => name.toString('latin1')),
  ).toContain('\xff\xfe')
  const program = await stat(to('homes/ada-700001/deep/run.sh'))
  expect(program).toMatchObject({ size: 700_000, mtimeMs: 1e12 })
  expect(program.mode & 0o777).toBe(0o755)
  expect((await stat(to('homes/ada-700001/deep'))).mode & 0o777).toBe(0o500)
  if (process.getuid?.() === 0) {
    expect(program.uid).toBe(700_001)
    expect((await lstat(to('homes/ada-700001/link'))).uid).toBe(700_001)
    expect((await stat(to('assets/config.json'))).uid).toBe(0)
  }
  expect((await stat(to('master.key'))).mode & 0o777).toBe(0o600)
  const [sealed] = await query(target.databaseUrl, 'select sealed_data from credentials')
  expect(
    (await openMasterKey(to('master.key'))).open(String(sealed?.sealed_data), 'credential c').toString(),
  ).toBe('hidden')

  // Tasks are queued again, identity columns count on, and foreign keys and triggers are active.
  expect(
    await query(
      target.databaseUrl,
      'select task_identifier, key, queue_name, run_at from graphile_worker.jobs',
    ),
  ).toEqual([{ task_identifier: 'later', key: 'k', queue_name: 'q', run_at: new Date('2999-01-01') }])
  const [next] = await query(
    target.databaseUrl,
    "insert into activities (time, action, subject, detail) values (now(), '', '', '') returning id",
  )
  expect(Number(next?.id)).toBe(12_001)
  await expect(query(target.databaseUrl, "delete from credentials where id = 'c'")).rejects.toThrow(
    'foreign key',
  )
  expect(
    await query(
      target.databaseUrl,
      "select tgname from pg_trigger where not tgisinternal and tgenabled <> 'O'",
    ),
  ).toEqual([])
})

soakIt(
  'a backup under load has every row acknowledged before it began, and no partial transaction',
  async () => {
    const site = await testSite()
    const stopping = new AbortController()
    let count = 0
    const acknowledged = new Set<number>()
    const write = async () => {
      while (!stopping.signal.aborted) {
        const n = ++count
        // Two rows that belong together, in two tables.
        await site.db.transaction(async (tx) => {
          await sql`insert into attempts (key, count, window_ends_at) values (${`k${n}`}, ${n}, now())`.execute(
            tx,
          )
          await sql`insert into activities (time, action, subject, detail) values (now(), 'did', ${`k${n}`}, '')`.execute(
            tx,
          )
        })
        acknowledged.add(n)
      }
    }
    const writers = Array.from({ length: 6 }, write)
    const target = await testTarget()
    await until(() => acknowledged.size >= 200)
    const before = [...acknowledged]
    const { file } = await site.backup()
    const during = acknowledged.size
    stopping.abort()
    await Promise.all(writers)
    expect(during).toBeGreaterThan(before.length)
    await target.restore(file)
    const attempts = (await query(target.databaseUrl, 'select key from attempts')).map(({ key }) =>
      String(key),
    )
    const activities = (
      await query(target.databaseUrl, "select subject from activities where action = 'did'")
    ).map(({ subject }) => String(subject))
    expect(attempts.toSorted()).toEqual(activities.toSorted())
    const kept = new Set(attempts)
    expect(before.filter((n) => !kept.has(`k${n}`))).toEqual([])
  },
)

test.each(variants([1, 9, 16]))(
  'a backup of schema %i is restored at its schema and migrated',
  async (last) => {
    const old = migrations.slice(0, last)
    const source = await databaseOfTest({ bare: true })
    await migrate(source, old)
    await person('old').execute(source.kysely)
    await sql`insert into activities (time, action, subject, detail) values (now(), 'did', 'x', '')`.execute(
      source.kysely,
    )
    const site = await testSite()
    const { file } = await site.backup({ databaseUrl: source.url })
    const target = await testTarget()
    await target.restore(file)
    const applied = await query(target.databaseUrl, 'select id from migrations')
    expect(applied).toHaveLength(migrations.length)
    expect(await query(target.databaseUrl, 'select id, registered from users')).toEqual([
      { id: 'old', registered: false },
    ])
  },
)

test('a backup of a newer version is rejected, and nothing is changed', async () => {
  const site = await testSite()
  await sql`insert into migrations (id, name) values (999, 'of tomorrow')`.execute(site.db.kysely)
  const { file } = await site.backup()
  const target = await testTarget()
  await expect(target.restore(file)).rejects.toThrow('newer version of Flotilla')
  await expect(readdir(target.dataDir)).rejects.toThrow('ENOENT')
})

test('an existing file is kept unless it is to be overwritten', async () => {
  const site = await testSite()
  const file = path.join(await testFolder(), 'precious')
  await writeFile(file, 'precious')
  await expect(site.backup({ file })).rejects.toThrow('already exists')
  expect(await readFile(file, 'utf8')).toBe('precious')
  await site.backup({ file, overwrite: true })
  expect((await readFile(file)).length).toBeGreaterThan(1000)
  expect(await readdir(path.dirname(file))).toEqual(['precious'])
})

test('a backup with the master key of another database is rejected', async () => {
  const site = await testSite()
  const masterKeyFile = path.join(await testFolder(), 'other.key')
  await expect(site.backup({ masterKeyFile })).rejects.toThrow('does not belong to this database')
  await openMasterKey(masterKeyFile)
  await expect(site.backup({ masterKeyFile })).rejects.toThrow('does not belong to this database')
})
