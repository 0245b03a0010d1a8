import pg from 'pg'
import { onTestFinished } from 'vitest'
import { until } from '../until'

/**
 * Blocks every transaction that needs this lock until `release`: by default every audited one. The audit trail can
 * still be read meanwhile, but not written.
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
    /** Resolves when this many transactions wait for a lock. */
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
