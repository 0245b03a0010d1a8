import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { testLog } from '../../../test/support/log'
import { runScript } from '../../../test/support/console/script'
import { soakIt } from '../../../test/support/soak'
import { until } from '../../../test/support/until'
import { openDatabase, type Database } from '../database'
import { startEmbedded, type EmbeddedDatabase } from './embedded'
import { stateOf } from './previous'

const running = new Set<EmbeddedDatabase>()
const start = async (dataDir: string, log = testLog().log) => {
  const database = await startEmbedded(dataDir, log)
  running.add(database)
  return database
}
const stop = async (database: EmbeddedDatabase) => {
  running.delete(database)
  await database.stop()
}
afterEach(async () => {
  for (const database of running) await stop(database)
})

// Creating a database takes longer than most of these tests, and few of them are about that.
let prepared: string
beforeAll(async () => {
  prepared = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-embedded-'))
  await stop(await start(prepared))
})
afterAll(() => rm(prepared, { recursive: true, force: true }))

/** A data folder with a database that has been stopped. */
async function usedFolder(): Promise<string> {
  const folder = await testFolder()
  // Owners and modes are copied too, because the database's files belong to a separate account.
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, folder])
  return folder
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

const postmaster = async (dataDir: string) =>
  Number((await readFile(path.join(dataDir, 'pg18', 'postmaster.pid'), 'utf8')).split('\n')[0])

test('data survives a stop and another start', async () => {
  const dataDir = await testFolder()
  const first = await start(dataDir)
  await query(first.url, 'create table things as select 1 as n')
  await stop(first)
  await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  const second = await start(dataDir)
  expect(await query(second.url, 'select n from things')).toEqual([1])
})

test('is durable, checksummed, local, without superuser rights and closed to other accounts', async () => {
  const dataDir = path.join(await testFolder(), 'new', 'data')
  const { url } = await start(dataDir)
  const settings =
    "select setting from pg_settings where name = any('{fsync,full_page_writes,synchronous_commit,data_checksums}')"
  expect(await query(url, settings)).toEqual(['on', 'on', 'on', 'on'])
  expect(await query(url, 'show listen_addresses')).toEqual(['127.0.0.1'])
  expect(await query(url, 'show password_encryption')).toEqual(['scram-sha-256'])
  expect(await query(url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([false])
  const guess = new URL(url)
  guess.password = 'guess'
  await expect(query(guess.href, 'select 1')).rejects.toThrow('password authentication failed')

  const mode = async (...name: string[]) => (await stat(path.join(dataDir, ...name))).mode & 0o777
  expect(await mode()).toBe(process.getuid?.() === 0 ? 0o711 : 0o700)
  expect(await mode('pg18')).toBe(0o700)
  expect(await mode('pg-password')).toBe(0o600)
})

test('text is sorted and compared as bytes, and letter case works beyond ASCII', async () => {
  const { url } = await start(await usedFolder())
  expect(await query(url, `select x from unnest('{b,a,B,A}'::text[]) x order by x`)).toEqual([
    'A',
    'B',
    'a',
    'b',
  ])
  expect(await query(url, `select lower('ÄÖ')`)).toEqual(['äö'])
})

test('a second server on the same folder is rejected, and the first is not disturbed', async () => {
  const dataDir = await usedFolder()
  const first = await start(dataDir)
  await expect(start(dataDir)).rejects.toThrow('Another Flotilla server is using')
  expect(await query(first.url, 'select 1')).toEqual([1])
  await stop(first)
  await start(dataDir)
})

test('a database of another major version is left alone, and no empty one is created beside it', async () => {
  const dataDir = await testFolder()
  await mkdir(path.join(dataDir, 'pg17'))
  await expect(start(dataDir)).rejects.toThrow('holds a database of PostgreSQL 17')
  expect(await readdir(dataDir)).toEqual(['pg17'])
})

soakIt('one of several servers that start at the same time on a new folder wins', async () => {
  const dataDir = await testFolder()
  const results = await Promise.allSettled([start(dataDir), start(dataDir), start(dataDir)])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
})

soakIt('a folder whose path is too long for a socket works too', async () => {
  const dataDir = path.join(await testFolder(), 'x'.repeat(120))
  await start(dataDir)
  await expect(start(dataDir)).rejects.toThrow('Another Flotilla server is using')
})

test('a killed database server is restarted on the same port, and the pool recovers', async () => {
  const dataDir = await usedFolder()
  const { log, lines } = testLog()
  const db: Database = await openDatabase({ dataDir, databaseUrl: undefined, log })
  try {
    await db.pool.query('create table things as select 7 as n')
    for (let round = 1; round <= 2; round++) {
      const pid = await postmaster(dataDir)
      process.kill(pid, 'SIGKILL')
      await until(() => stateOf(pid, path.join(dataDir, 'pg18')) === 'gone')
      const n = await until(() =>
        db.pool.query('select n from things').then(
          ({ rows }) => rows[0],
          () => undefined,
        ),
      )
      expect(n).toEqual({ n: 7 })
      // A backend that had not noticed the kill yet may have answered.
      await until(() =>
        postmaster(dataDir).then(
          (next) => next !== pid,
          () => false,
        ),
      )
    }
    expect(lines()).toContain('the database server died, starting it again')
  } finally {
    await db.close()
  }
})

soakIt('a stop while the database server is dead completes and leaves nothing running', async () => {
  const dataDir = await usedFolder()
  const database = await start(dataDir)
  const pid = await postmaster(dataDir)
  process.kill(pid, 'SIGKILL')
  await stop(database)
  await expect(query(database.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  await start(dataDir)
})

test('kill -9 of the server loses no acknowledged write, and the next start needs no manual steps', async () => {
  const dataDir = await usedFolder()
  let acknowledged = 0
  for (let kills = Number(process.env.FLOTILLA_KILLS ?? 3); kills > 0; kills--) {
    const script = await runScript('write-rows', { DATA_DIR: dataDir })
    const [, count, last] = (await script.line('found')).split(' ').map(Number)
    // The write that was in progress when the kill came may or may not have been committed.
    expect(count).toBe(last)
    expect([acknowledged, acknowledged + 1]).toContain(last)
    const enough = script.lines.length + 20 + Math.floor(Math.random() * 200)
    await until(() => script.lines.length >= enough)
    await script.kill()
    acknowledged = Number(script.lines.at(-1)?.split(' ')[1])
  }
  const { url } = await start(dataDir)
  const [rows] = await query(url, 'select count(*)::int from rows')
  expect([acknowledged, acknowledged + 1]).toContain(rows)
})

test('a database server that was left running is stopped by the next start', async () => {
  const dataDir = await usedFolder()
  // Without setpriv on the PATH, a kill -9 leaves the database server as an orphan.
  const programs = await testFolder()
  await symlink('/usr/bin/id', path.join(programs, 'id'))
  const script = await runScript('write-rows', { DATA_DIR: dataDir, PATH: programs })
  await script.line('wrote 5')
  const orphan = await postmaster(dataDir)
  await script.kill()
  expect(stateOf(orphan, path.join(dataDir, 'pg18'))).toBe('ours')
  const { log, lines } = testLog()
  const { url } = await start(dataDir, log)
  expect(lines()).toContain('an earlier run left behind')
  expect(await postmaster(dataDir)).not.toBe(orphan)
  expect(await query(url, 'select n from rows where n <= 5')).toEqual([1, 2, 3, 4, 5])
})

soakIt('a pid file whose process id was reused does not block the start', async () => {
  const dataDir = await usedFolder()
  await stop(await start(dataDir))
  // This process plays the one that got the id.
  await writeFile(
    path.join(dataDir, 'pg18', 'postmaster.pid'),
    `${process.pid}\n${dataDir}/pg18\n0\n5432\n\n127.0.0.1\n`,
  )
  const { url } = await start(dataDir)
  expect(await query(url, 'select 1')).toEqual([1])
})

soakIt('a first start that was killed halfway is started over', async () => {
  const dataDir = await testFolder()
  await mkdir(path.join(dataDir, 'pg18.new', 'base'), { recursive: true })
  await writeFile(path.join(dataDir, 'pg-superuser.new'), 'old')
  const { url } = await start(dataDir)
  expect(await query(url, 'select 1')).toEqual([1])
})

soakIt('a lost password file is recreated', async () => {
  const dataDir = await usedFolder()
  const first = await start(dataDir)
  await query(first.url, 'create table things as select 1 as n')
  await stop(first)
  await rm(path.join(dataDir, 'pg-password'))
  const second = await start(dataDir)
  expect(second.url).not.toContain(new URL(first.url).password)
  expect(await query(second.url, 'select n from things')).toEqual([1])
})

soakIt('works inside a folder that is closed to the database account', async () => {
  const closed = await testFolder()
  await chmod(closed, 0o700)
  const { url } = await start(path.join(closed, 'data'))
  expect(await query(url, 'select 1')).toEqual([1])
})
