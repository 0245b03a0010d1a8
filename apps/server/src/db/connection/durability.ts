import pg from 'pg'

const required = ['fsync', 'full_page_writes', 'synchronous_commit']

/** The settings under which this server could lose an acknowledged write, as `name = value`. */
export async function unsafeSettings(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [required],
    )
    // The value remote_apply of synchronous_commit guarantees even more than "on".
    return rows
      .filter(({ setting }) => setting !== 'on' && setting !== 'remote_apply')
      .map(({ name, setting }) => `${name} = ${setting}`)
  } finally {
    await client.end()
  }
}

export async function requireDurable(url: string): Promise<void> {
  const unsafe = await unsafeSettings(url)
  if (unsafe.length > 0) throw new Error(`The database could lose acknowledged writes: ${unsafe.join(', ')}`)
}
