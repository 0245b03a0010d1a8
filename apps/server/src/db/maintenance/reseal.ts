import { sql } from 'kysely'
import { dedicatedClient, quoted, tablesIn } from './dump'
import type { Transaction } from '../database'

type Column = { table: string; column: string; key: string[]; context(key: string[]): string }

/** Matches a value of a column, or inside its JSON, that looks sealed. */
const SEALED = '"v1\\.[A-Za-z0-9_-]{38,}"'

/** Tables with a sealed value in a column that is not in `known`: with another key it would be lost. */
export async function tablesWithUnknownSeals(url: string, known: Column[]): Promise<string[]> {
  const client = await dedicatedClient(url, 'flotilla key rotation')
  try {
    const found: string[] = []
    for (const { name } of await tablesIn(client)) {
      const columns = known.filter(({ table }) => table === name).map(({ column }) => column)
      const { rowCount } = await client.query(
        `select from ${quoted(name)} as one where (to_jsonb(one) - $1::text[])::text ~ $2 limit 1`,
        [columns, SEALED],
      )
      if (rowCount !== 0) found.push(name)
    }
    return found
  } finally {
    await client.end()
  }
}

/** Replaces every value of a column; `reseal` gets the value and its context. Returns the number of values. */
export async function resealColumn(
  tx: Transaction,
  { table, column, key, context }: Column,
  reseal: (sealed: string, context: string) => string,
): Promise<number> {
  const keys = sql.join(key.map((one) => sql`${sql.ref(one)}::text`))
  const { rows } = await sql<{ key: string[]; sealed: string }>`
    select array[${keys}] as key, ${sql.ref(column)} as sealed from ${sql.table(table)} where ${sql.ref(column)} is not null
  `.execute(tx)
  for (const row of rows)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${reseal(row.sealed, context(row.key))}
      where array[${keys}] = ${row.key}::text[]`.execute(tx)
  return rows.length
}

/** Ends sessions and one-time codes, which are signed and hashed with keys derived from the old master key. */
export async function endSignedAccess(tx: Transaction): Promise<void> {
  await tx.deleteFrom('sessions').execute()
  await tx.deleteFrom('one_time_secrets').execute()
}

/** Stores the sealed key for access tokens, unless one is stored already. */
export const keepTokenKey = (tx: Transaction, sealed: string) =>
  tx
    .updateTable('site_settings')
    .set({ sealed_token_key: sealed })
    .where('sealed_token_key', 'is', null)
    .execute()
