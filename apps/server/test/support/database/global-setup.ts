import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { startEmbedded } from '../../../src/db/embedded/embedded'
import { migrate } from '../../../src/db/migrate'
import { migrations } from '../../../src/db/migrations/index'
import { openQueue } from '../../../src/queue/queue'
import type { TestProject } from 'vitest/node'

const MEMORY = '/dev/shm'
const MEMORY_NEEDED = 4 * 1024 ** 3

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: string
    databaseTemplate: string
  }
}

/**
 * One database server for the whole run: an embedded one, or that of FLOTILLA_TEST_DATABASE_URL, whose account must be
 * allowed to create databases. A migrated database on it is the template from which every test gets its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = pino({ level: 'silent' })
  const folder = await mkdtemp(path.join(await fastestPlace(), `flotilla-run-${process.pid}-`))
  const given = process.env.FLOTILLA_TEST_DATABASE_URL
  const embedded = given ? undefined : await startEmbedded(folder, log)
  const server = given ?? embedded?.url ?? ''
  // The data need not survive a power failure.
  if (embedded) await statement(server, 'alter role current_user set synchronous_commit = off')
  const template = `flotilla_template_${process.pid}`
  await statement(server, `create database ${template}`)
  const url = new URL(server)
  url.pathname = `/${template}`
  await migrate({ url: url.href }, migrations)
  // Opening the queue creates its tables.
  await (await openQueue({ url: url.href, alone: true, log })).stop()

  project.provide('databaseServer', server)
  project.provide('databaseTemplate', template)
  return async () => {
    await dropDatabase((sql) => statement(server, sql), template)
    await embedded?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Memory if there is enough: each test creates and drops a database, and both are slow on a disk. */
async function fastestPlace(): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return room > MEMORY_NEEDED ? MEMORY : os.tmpdir()
}

/** Retries, as this fails while autovacuum, which we may not interrupt, works in the database. */
export async function dropDatabase(execute: (sql: string) => Promise<unknown>, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await execute(`drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if (tries === 10) throw error
      await sleep(300)
    }
  }
}

export async function statement(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
