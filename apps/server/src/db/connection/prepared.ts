import type { CompiledQuery } from 'kysely'
import type { Database, Queryable } from '../database'
import { isOutdated } from './rejected'

/**
 * Prepares a frequent statement: the database parses and plans it once per connection, which is most of the work of a
 * small statement. `build` returns its text, with $1 and so on in it.
 */
export function prepare<Row extends object>(
  name: string,
  build: (db: Queryable) => string | Pick<CompiledQuery, 'sql'>,
): (db: Database, values: unknown[]) => Promise<Row[]> {
  let known: string | undefined
  return async ({ kysely, pool }, values) => {
    const built = known ?? build(kysely)
    const text = typeof built === 'string' ? built : built.sql
    known = text
    try {
      return (await pool.query<Row>({ name, text, values })).rows
    } catch (error) {
      if (isOutdated(error)) return (await pool.query<Row>(text, values)).rows
      throw error
    }
  }
}
