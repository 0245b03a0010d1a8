import { sql } from 'kysely'
import type { Queryable } from './database'

/** Whose logs a table holds. */
const links = { cluster_logs: 'cluster_id', stack_logs: 'stack_id' } as const
/** In one answer; a longer log is read in several. */
const LINES_MAX = 5000

export function logLines(table: keyof typeof links) {
  const lines = sql.table(table)
  const thing = sql.ref(links[table])
  return {
    async addLogs(db: Queryable, id: string, type: string, time: Date, texts: string[]): Promise<void> {
      await sql`insert into ${lines} (${thing}, type, time, text)
        select ${id}::text, ${type}::text, ${time}::timestamptz, unnest(${texts}::text[])`.execute(db)
    },

    /** Those after `after`, with `search` in them in any case. */
    async logs(db: Queryable, id: string, type: string, after: number, search = '') {
      const found = await sql<{ seq: number; time: Date; text: string }>`
        select seq, time, text from ${lines}
        where ${thing} = ${id} and type = ${type} and seq > ${after}
          and position(lower(${search}) in lower(text)) > 0
        order by seq limit ${LINES_MAX}`.execute(db)
      return found.rows
    },
  }
}
