import { sql } from 'kysely'
import type { LogLevel } from '@flotilla/contract/clusters/entity'
import type { Queryable } from './database'

export type NewLine = { text: string; level: LogLevel }

/** The column that says whose logs are in a table. */
const links = { cluster_logs: 'cluster_id', stack_logs: 'stack_id', training_logs: 'training_id' } as const
/** The number of lines in one reply; longer logs are read in several. */
const LINES_MAX = 5000

export function logLines(table: keyof typeof links) {
  const lines = sql.table(table)
  const thing = sql.ref(links[table])
  const addLines = async (
    db: Queryable,
    id: string,
    type: string,
    time: Date,
    added: NewLine[],
  ): Promise<void> => {
    const [levels, texts] = [added.map(({ level }) => level), added.map(({ text }) => text)]
    await sql`insert into ${lines} (${thing}, type, time, level, text)
      select ${id}::text, ${type}::text, ${time}::timestamptz, unnest(${levels}::text[]), unnest(${texts}::text[])`.execute(
      db,
    )
  }
  return {
    addLines,
    addLine: (db: Queryable, id: string, type: string, time: Date, text: string, level: LogLevel = 'info') =>
      addLines(db, id, type, time, [{ text, level }]),

    /** The lines after `after`, which comes unchecked from the caller, that contain `search` in any letter case. */
    async logs(db: Queryable, id: string, type: string, after: number, search = '') {
      const from = Math.floor(Math.min(Math.max(0, after), Number.MAX_SAFE_INTEGER))
      const found = await sql<{ seq: number; time: Date; level: LogLevel; text: string }>`
        select seq, time, level, text from ${lines}
        where ${thing} = ${id} and type = ${type} and seq > ${from}
          and position(lower(${search}) in lower(text)) > 0
        order by seq limit ${LINES_MAX}`.execute(db)
      return found.rows.map((row) => ({ ...row, time: row.time.getTime() }))
    },
  }
}
