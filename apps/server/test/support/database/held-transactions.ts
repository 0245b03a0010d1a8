import pg from 'pg'
import { onTestFinished } from 'vitest'
import { until } from '../until'

/**
 * Keeps every transaction that needs this lock from ending, in the middle of its work, until `release`: if not said
 * otherwise, every audited one. Lines of the audit trail are still read then, but none is written.
 */
export async function holdTransactions(url: string, lock = 'activities in exclusive mode') {
  const [holder, observer] = [0, 1].map(() => new pg.Client({ connectionString: url }))
  if (!holder || !observer) throw new Error('two were made')
  for (const client of [holder, observer]) {
    await client.connect()
    onTestFinished(() => client.end())
  }
  await holder.query(`begin; lock table ${lock}`)
  return {
    /** Resolves when so many transactions wait. */
    waiting: (count: number) =>
      until(async () => {
        const { rows } = await observer.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length >= count
      }),
    release: () => holder.query('rollback'),
  }
}
