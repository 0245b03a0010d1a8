import pg from 'pg'

/** The memory that a batch of rows takes, approximately. */
const BATCH_BYTES = 1024 * 1024
const ROWS_MAX = 5000

export type Table = { name: string; columns: string[] }
export type Sequence = { name: string; last_value: string; is_called: boolean }

export type DedicatedClient = pg.Client

/** Opens a dedicated connection, on which statements may take as long as they need. */
export async function dedicatedClient(url: string, application_name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => {})
  await client.connect()
  // Values are written and read as text, in one form whatever the server's defaults are.
  await client.query(
    "set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 1",
  )
  return client
}

/** Tables of the application with the columns that can be written, by name. */
export async function tablesIn(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`)
  return rows
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const list = (columns: string[]): string => columns.map(quoted).join(', ')

/** The migrations that were applied; empty for a database without the console's tables. */
export async function migrationsIn(client: pg.Client): Promise<{ id: number; name: string }[]> {
  const { rows: found } = await client.query("select to_regclass('public.migrations') as found")
  if (found[0]?.found === null) return []
  return (await client.query<{ id: number; name: string }>('select id, name from migrations order by id'))
    .rows
}

/** Begins a transaction that reads everything as it was at one moment, however long it takes. Nothing waits for it. */
export async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query('begin isolation level repeatable read read only')
  // The snapshot is taken by the first statement that reads.
  await client.query('select 1 from pg_class limit 1')
}

export const endSnapshot = (client: pg.Client) => client.query('commit')

/** The rows of a table as PostgreSQL writes them, which is exact for every type. */
export async function* rowsOf(client: pg.Client, { name, columns }: Table): AsyncGenerator<string[]> {
  await client.query(
    `declare dumped no scroll cursor for select row(${list(columns)})::text as row from ${quoted(name)}`,
  )
  for (let wanted = 16; ;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${wanted} from dumped`)
    if (rows.length === 0) break
    yield rows.map(({ row }) => row)
    const bytes = rows.reduce((sum, { row }) => sum + row.length, 0)
    wanted = Math.min(ROWS_MAX, Math.max(1, Math.floor((BATCH_BYTES * rows.length) / Math.max(1, bytes))))
  }
  await client.query('close dumped')
}

/** Sequences are not part of a snapshot; their values are at least as high as in every row that was read before. */
export async function sequencesIn(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1",
  )
  const found: Sequence[] = []
  for (const { name } of rows) {
    const { rows: values } = await client.query<Omit<Sequence, 'name'>>(
      `select last_value::text, is_called from ${quoted(name)}`,
    )
    if (values[0]) found.push({ name, ...values[0] })
  }
  return found
}

/** The mark of the master key. The first schema has no such column. */
export const masterKeyMarkIn = async (client: pg.Client): Promise<string | null> =>
  (
    await client.query<{ mark: string | null }>(
      "select to_jsonb(site_settings) ->> 'master_key_mark' as mark from site_settings",
    )
  ).rows[0]?.mark ?? null
