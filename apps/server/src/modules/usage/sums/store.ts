import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database'
import type { Edge, Range } from '../ranges'

/** Larger batches would keep readers and writers waiting. */
const FOLD_BATCH = 20_000

/**
 * Folds changes into the sums. Figures are correct without this, but slow after many changes, so call it after
 * inserting history in bulk. Each batch commits separately, and readers add the changes that are not folded yet.
 */
export async function foldUsage({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ folded: number }>`select usage_fold(${FOLD_BATCH}) as folded`.execute(kysely)
    if ((rows[0]?.folded ?? 0) < FOLD_BATCH) return
  }
}

export const asTime = (date: Date) => sql`${date}::timestamptz`
/** Days are in UTC. */
const asDay = (date: Date) => sql`${date.toISOString().slice(0, 10)}::date`
/** Whether a column is in one of these ranges. */
export const inRanges = (column: string, ranges: Range[]): RawBuilder<boolean> =>
  ranges.length === 0
    ? sql<boolean>`false`
    : sql<boolean>`(${sql.join(
        ranges.map(
          ({ from, to }) => sql`(${sql.ref(column)} >= ${asDay(from)} and ${sql.ref(column)} < ${asDay(to)})`,
        ),
        sql` or `,
      )})`
/** The edges of a range, each with its sign. */
export const windows = (edges: Edge[]): RawBuilder<unknown> =>
  edges.length === 0
    ? sql`windows(from_at, to_at, sign) as (select now(), now(), 1 where false)`
    : sql`windows(from_at, to_at, sign) as (values ${sql.join(
        edges.map(({ from, to, sign }) => sql`(${asTime(from)}, ${asTime(to)}, ${sql.lit(sign)})`),
      )})`
