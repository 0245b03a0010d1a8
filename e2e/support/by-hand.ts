import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Server } from './server'

/** Runs statements in a server's database as its administrator, to create states that no API call leads to. */
export async function byHand(server: Server, statements: string[], values?: unknown[]): Promise<void> {
  const password = (await readFile(join(server.dataDir, 'pg-password'), 'utf8')).trim()
  const [, , , port] = (await readFile(join(server.dataDir, 'pg18/postmaster.pid'), 'utf8')).split('\n')
  const client = new pg.Client(`postgres://flotilla:${password}@127.0.0.1:${port}/flotilla`)
  await client.connect()
  for (const statement of statements) await client.query(statement, values)
  await client.end()
}
