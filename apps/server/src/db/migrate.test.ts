import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTest } from '../../test/support/database/database'
import { migrate, type Migration } from './migrate'
import { migrations } from './migrations/index'

const first: Migration = {
  id: 1,
  name: 'boats',
  sql: 'create table boats (name text); insert into boats values ($$Argo$$);',
}
const second: Migration = { id: 2, name: 'masts', sql: 'alter table boats add masts int not null default 1' }

test('missing migrations are applied in order and once', async () => {
  const db = await databaseOfTest({ bare: true })
  await migrate(db, [first])
  await migrate(db, [first, second])
  await migrate(db, [first, second])
  expect((await sql`select * from boats`.execute(db.kysely)).rows).toEqual([{ name: 'Argo', masts: 1 }])
  expect((await sql`select id, name from migrations`.execute(db.kysely)).rows).toEqual([
    { id: 1, name: 'boats' },
    { id: 2, name: 'masts' },
  ])
})

test('servers that start at the same time apply each migration once', async () => {
  const db = await databaseOfTest({ bare: true })
  await Promise.all(Array.from({ length: 6 }, () => migrate(db, [first, second])))
  expect((await sql`select * from boats`.execute(db.kysely)).rows).toHaveLength(1)
})

test('a failing migration is rolled back, and those before it remain', async () => {
  const db = await databaseOfTest({ bare: true })
  const broken = { ...second, sql: 'create table oars (n int); select 1 / 0' }
  await expect(migrate(db, [first, broken])).rejects.toThrow(
    'Migration 2 (masts) failed and was rolled back: division by zero',
  )
  const { rows } = await sql`select to_regclass('oars') as oars, to_regclass('boats') as boats`.execute(
    db.kysely,
  )
  expect(rows).toEqual([{ oars: null, boats: 'boats' }])
  await migrate(db, [first, second])
})

test('a database of a newer version is rejected and not changed', async () => {
  const db = await databaseOfTest({ bare: true })
  await migrate(db, [first, second])
  await expect(migrate(db, [first])).rejects.toThrow(
    'written by a newer version of Flotilla: it holds migration 2 (masts)',
  )
  const other = { id: 2, name: 'sails', sql: 'select 1' }
  await expect(migrate(db, [first, other])).rejects.toThrow('migration 2 (masts)')
  expect((await sql`select id from migrations`.execute(db.kysely)).rows).toHaveLength(2)
})

test('migrations must be numbered consecutively', async () => {
  await expect(migrate({ url: '' }, [second])).rejects.toThrow('Migration masts has number 2; 1 is next')
})

test('the migrations of this version apply to an empty database', async () => {
  const db = await databaseOfTest({ bare: true })
  await migrate(db, migrations)
  expect((await sql`select id from migrations`.execute(db.kysely)).rows).toHaveLength(migrations.length)
})

test('log lines get the level that was the first word of their text', async () => {
  const db = await databaseOfTest({ bare: true })
  await migrate(
    db,
    migrations.filter(({ id }) => id < 17),
  )
  await sql`alter table cluster_logs drop constraint cluster_logs_cluster_id_fkey`.execute(db.kysely)
  await sql`insert into cluster_logs (cluster_id, type, time, text) select 'c', 'deploy', now(), unnest(array[
    'Planned', 'warn: a disk is slow', 'error: no quota', 'Failed: no quota', 'It will warn: later'])`.execute(
    db.kysely,
  )
  await migrate(db, migrations)
  const { rows } = await sql`select level, text from cluster_logs order by seq`.execute(db.kysely)
  expect(rows).toEqual([
    { level: 'info', text: 'Planned' },
    { level: 'warning', text: 'a disk is slow' },
    { level: 'error', text: 'no quota' },
    { level: 'error', text: 'Failed: no quota' },
    { level: 'info', text: 'It will warn: later' },
  ])
})
