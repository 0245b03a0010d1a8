import type pg from 'pg'
import { quoted, tablesIn, type Sequence, type Table } from './dump'
import { applyWithin, type Migration } from '../migrate'

type ForeignKey = { table: string; name: string; definition: string }

/** Whether a database holds no data. Extensions and a queue without tasks are allowed. */
export async function isEmptyDatabase(client: pg.Client): Promise<boolean> {
  const { rows: found } = await client.query<{ queue: string | null; used: boolean }>(`
    select to_regclass('graphile_worker._private_jobs')::text as queue, exists (
      select from pg_class c where relnamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')) as used`)
  const [{ queue, used } = { queue: null, used: true }] = found
  if (used || queue === null) return !used
  return (await client.query(`select from ${queue} limit 1`)).rowCount === 0
}

/** The id of the restore that filled a database, if any. It is recorded in the transaction that fills it. */
export async function restoreNote(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ note: string | null }>(
    "select obj_description(to_regclass('public.migrations'), 'pg_class') as note",
  )
  return rows[0]?.note ?? null
}

const noteRestore = (client: pg.Client, id: string) =>
  // A comment takes no parameters; the id is generated here and has only letters, digits and dashes.
  client.query(`comment on table migrations is '${id.replaceAll(/[^\w-]/g, '')}'`)

/** Removes the note of a restore that is complete. */
export const forgetRestore = (client: pg.Client) => client.query('comment on table migrations is null')

export interface Loader {
  rows(table: Table, rows: string[]): Promise<void>
  sequences(all: Sequence[]): Promise<void>
  /** Commits everything that was loaded, or fails. */
  commit(): Promise<void>
  rollback(): Promise<void>
}

/**
 * Fills an empty database in one transaction: creates the tables as they were after `applied`, then loads their rows.
 * The tables' triggers do not fire, because they fired when the rows were first written; foreign keys are checked at
 * the end, so tables may come in any order. Both need no more rights than those of the tables' owner.
 */
export async function beginLoad(client: pg.Client, applied: Migration[], restoreId: string): Promise<Loader> {
  await client.query('begin')
  await applyWithin(client, applied)
  await noteRestore(client, restoreId)
  // The table of migrations has just been filled.
  const tables = (await tablesIn(client)).filter(({ name }) => name !== 'migrations')
  const { rows: foreignKeys } = await client.query<ForeignKey>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`)
  for (const { table, name } of foreignKeys)
    await client.query(`alter table ${table} drop constraint ${quoted(name)}`)
  for (const { name, columns } of tables) {
    await client.query(
      `create temporary table ${rowType(name)} on commit drop as
       select ${columns.map(quoted).join(', ')} from ${quoted(name)} with no data`,
    )
    await client.query(`alter table ${quoted(name)} disable trigger user`)
    // Some migrations insert rows.
    const { rowCount } = await client.query(`select from ${quoted(name)} limit 1`)
    if (rowCount !== 0) await client.query(`delete from ${quoted(name)}`)
  }
  const known = new Map(tables.map((table) => [table.name, table]))

  return {
    async rows({ name, columns }, rows) {
      const here = known.get(name)
      if (here === undefined || here.columns.join() !== columns.join())
        throw new Error(
          `The table ${name} of this backup does not have the columns that its version should have`,
        )
      await client.query(
        `insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) overriding system value
         select (r.one).* from (select unnest($1::text[])::${rowType(name)} as one offset 0) r`,
        [rows],
      )
    },
    async sequences(all) {
      for (const { name, last_value, is_called } of all)
        await client.query('select setval($1::regclass, $2, $3)', [
          `public.${quoted(name)}`,
          last_value,
          is_called,
        ])
    },
    async commit() {
      for (const { name } of tables) await client.query(`alter table ${quoted(name)} enable trigger user`)
      for (const { table, name, definition } of foreignKeys)
        await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
      await client.query('commit')
    },
    rollback: async () => void (await client.query('rollback').catch(() => {})),
  }
}

/** The row type of a table without its generated columns: that of an empty, temporary table. */
const rowType = (table: string): string => `pg_temp.${quoted(`rows of ${table}`)}`
