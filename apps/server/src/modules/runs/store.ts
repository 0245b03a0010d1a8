import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { Tables } from '../../db/tables'
import { newId } from '../../ids'
import type { Actor } from '../activities/activities'

/** Tables of runs, the column that names what a run works on, and the table in which that is. */
const subjects = {
  cluster_runs: { column: 'cluster_id', table: 'clusters' },
  stack_runs: { column: 'stack_id', table: 'stacks' },
  training_runs: { column: 'training_id', table: 'trainings' },
  backup_runs: { column: 'site', table: null },
} as const
export type RunTable = keyof typeof subjects
/** What every run has, besides what is its module's own. */
type Common = {
  id: string
  subject_id: string
  actor_id: string | null
  actor: string | null
  cancel_asked: boolean
}
type Made = 'id' | 'actor_id' | 'actor' | 'began_at' | (typeof subjects)[RunTable]['column']
/** Who begins a run and when, and the columns that are its module's own. */
export type NewRun<Table extends RunTable> = { actor: Actor; at: Date } & Omit<
  Insertable<Tables[Table]>,
  Made
>
export type Run<Table extends RunTable> = Common & Selectable<Tables[Table]>

export function runTable<Table extends RunTable>(table: Table) {
  const runs = sql.table(table)
  const { column, table: subjectTable } = subjects[table]
  const subject = sql.ref(column)
  const select = async (db: Queryable, where: RawBuilder<unknown>): Promise<Run<Table>[]> =>
    (await sql<Run<Table>>`select *, ${subject} as subject_id from ${runs} where ${where}`.execute(db)).rows
  /** Those of these that were in progress. */
  const change = async (db: Queryable, values: RawBuilder<unknown>, which: RawBuilder<unknown>) =>
    (await sql`update ${runs} set ${values} where ${which} and ended_at is null returning id`.execute(db))
      .rows.length > 0
  return {
    /** Returns its id. */
    async insert(tx: Transaction, subjectId: string, { actor, at, ...own }: NewRun<Table>): Promise<string> {
      const id = newId()
      const by = { actor_id: actor?.id ?? null, actor: actor?.username ?? null, began_at: at }
      // The compiler does not follow a table that is a parameter; the row is of this table by its type.
      const row = { ...own, id, [column]: subjectId, ...by } as never
      await tx.insertInto<RunTable>(table).values(row).execute()
      return id
    },
    find: async (db: Queryable, id: string) => (await select(db, sql`id = ${id}`))[0],
    inProgress: async (db: Queryable, id: string) =>
      (await select(db, sql`id = ${id} and ended_at is null`))[0],
    allInProgress: (db: Queryable) => select(db, sql`ended_at is null`),
    current: async (db: Queryable, subjectId: string) =>
      (await select(db, sql`${subject} = ${subjectId} and ended_at is null`))[0],
    overdue: (db: Queryable, begunBefore: Date) =>
      select(db, sql`ended_at is null and began_at < ${begunBefore}`),
    /**
     * Holds what a run works on against other changes. Whatever ends a run holds it first, as those that begin one do: the
     * other way round, each could wait for the other.
     */
    async lockSubject(tx: Transaction, subjectId: string): Promise<void> {
      if (subjectTable === null) return
      await sql`select 1 from ${sql.table(subjectTable)} where id = ${subjectId} for no key update`.execute(
        tx,
      )
    },
    /** Whether it was still in progress. */
    end: (tx: Queryable, id: string, at: Date, cause: string | null) =>
      change(tx, sql`ended_at = ${at}, cause = ${cause}`, sql`id = ${id}`),
    /** Ends whatever is in progress on a subject; who carries it out notices and stops. */
    abort: (tx: Transaction, subjectId: string, at: Date, cause: string) =>
      change(tx, sql`ended_at = ${at}, cause = ${cause}`, sql`${subject} = ${subjectId}`),
    /** Whether there was something in progress to cancel. */
    requestCancel: (tx: Queryable, subjectId: string) =>
      change(tx, sql`cancel_asked = true`, sql`${subject} = ${subjectId}`),
  }
}
