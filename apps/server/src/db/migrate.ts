import pg from 'pg'
import { messageOf } from '../explain'

export interface Migration {
  id: number
  name: string
  sql: string
}

/** An arbitrary number that no other advisory lock in the database uses. */
const LOCK = 7_305_804_401
const TABLE =
  'create table if not exists migrations ' +
  '(id int primary key, name text not null, applied_at timestamptz not null default now())'

/**
 * Migrates the database to this version. Each migration commits together with its record; servers that start at the
 * same time wait for each other.
 */
export async function migrate(db: { url: string }, migrations: Migration[]): Promise<void> {
  requireOrder(migrations)
  // A dedicated connection holds the lock, and a migration may take longer than a statement of the pool may.
  const client = new pg.Client({ connectionString: db.url, connectionTimeoutMillis: 10_000, keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(TABLE)
    const { rows } = await client.query<{ id: number; name: string }>(
      'select id, name from migrations order by id',
    )
    requireKnown(rows, migrations)
    const done = new Set(rows.map(({ id }) => id))
    for (const migration of migrations.filter(({ id }) => !done.has(id))) await apply(client, migration)
  } finally {
    // Ending the session releases the lock.
    await client.end()
  }
}

async function apply(client: pg.Client, { id, name, sql }: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(sql)
    await client.query('insert into migrations (id, name) values ($1, $2)', [id, name])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback').catch(() => {})
    const reason = messageOf(cause)
    throw new Error(`Migration ${id} (${name}) failed and was rolled back: ${reason}`, { cause })
  }
}

/** Applies migrations to an empty database in the client's open transaction. */
export async function applyWithin(client: pg.Client, migrations: Migration[]): Promise<void> {
  await client.query(TABLE)
  for (const { id, name, sql } of migrations) {
    await client.query(sql)
    await client.query('insert into migrations (id, name) values ($1, $2)', [id, name])
  }
}

/** Fails unless the database is at exactly this version. */
export async function requireMigrated({ pool }: { pool: pg.Pool }, migrations: Migration[]): Promise<void> {
  const { rows: found } = await pool.query("select to_regclass('public.migrations') as found")
  if (found[0]?.found === null) throw new Error('This database is empty. Check DATABASE_URL and DATA_DIR.')
  const { rows } = await pool.query<{ id: number; name: string }>(
    'select id, name from migrations order by id',
  )
  requireKnown(rows, migrations)
  if (rows.length < migrations.length)
    throw new Error(
      'This database is from an older version of Flotilla. Start the server with this version once to upgrade it, then try again.',
    )
}

/** The first migration in `applied` that this version does not have, if any: a newer one applied it. */
export const unknownMigration = (applied: { id: number; name: string }[], migrations: Migration[]) =>
  applied.find(({ id, name }) => migrations[id - 1]?.name !== name)

function requireOrder(migrations: Migration[]): void {
  for (const [index, { id, name }] of migrations.entries())
    if (id !== index + 1) throw new Error(`Migration ${name} has number ${id}; ${index + 1} is next`)
}

function requireKnown(applied: { id: number; name: string }[], migrations: Migration[]): void {
  const unknown = unknownMigration(applied, migrations)
  if (unknown)
    throw new Error(
      'This database was written by a newer version of Flotilla: it holds ' +
        `migration ${unknown.id} (${unknown.name}), and this version knows ${migrations.length}. ` +
        'Start that version, or restore a backup made with this one.',
    )
}
