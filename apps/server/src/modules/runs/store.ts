import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'
import type { Tables } from '../../db/tables'
import { newId } from '../../ids'
import type { Actor } from '../activities/activities'

/** The tables of runs, each with the column that identifies the subject and the table of the subjects. */
const subjects = {
  cluster_runs: { column: 'cluster_id', table: 'clusters' },
  stack_runs: { column: 'stack_id', table: 'stacks' },
  training_runs: { column: 'training_id', table: 'trainings' },
  backup_runs: { column: 'site', table: null },
} as const
export type RunTable = keyof typeof subjects
/** The columns that every run has, in addition to those of its module. */
type Common = {
  id: string
  subject_id: string
  actor_id: string | null
  actor: string | null
  cancel_asked: boolean
}
type Made = 'id' | 'actor_id' | 'actor' | 'began_at' | (typeof subjects)[RunTable]['column']
/** Who begins a run and when, and the columns of its module. */
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
  /** Updates runs that are in progress. Returns whether there were any. */
  const change = async (db: Queryable, values: RawBuilder<unknown>, which: RawBuilder<unknown>) =>
    (await sql`update ${runs} set ${values} where ${which} and ended_at is null returning id`.execute(db))
      .rows.length > 0
  return {
    /** Returns the id of the run. */
    async insert(tx: Transaction, subjectId: string, { actor, at, ...own }: NewRun<Table>): Promise<string> {
      const id = newId()
      const by = { actor_id: actor?.id ?? null, actor: actor?.username ?? null, began_at: at }
      // The compiler cannot resolve a table that is a parameter; the type of `own` guarantees that the row fits.
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
     * Locks the subject of a run against other changes. Code that begins or ends a run locks the subject first; the
     * other order could deadlock.
     */
    async lockSubject(tx: Transaction, subjectId: string): Promise<void> {
      if (subjectTable === null) return
      await sql`select 1 from ${sql.table(subjectTable)} where id = ${subjectId} for no key update`.execute(
        tx,
      )
    },
    /** Returns whether the run was still in progress. */
    end: (tx: Queryable, id: string, at: Date, cause: string | null) =>
      change(tx, sql`ended_at = ${at}, cause = ${cause}`, sql`id = ${id}`),
    /** Aborts the run that is in progress on a subject. The server that carries it out notices and stops. */
    abort: (tx: Transaction, subjectId: string, at: Date, cause: string) =>
      change(tx, sql`ended_at = ${at}, cause = ${cause}`, sql`${subject} = ${subjectId}`),
    /** Returns whether there was a run in progress to cancel. */
    requestCancel: (tx: Queryable, subjectId: string) =>
      change(tx, sql`cancel_asked = true`, sql`${subject} = ${subjectId}`),
  }
}
