import type { Generated, GeneratedAlways } from 'kysely'
import type { LogLevel } from '@flotilla/contract/clusters/entity'

/** A line of a log; each table of them adds the column that says whose it is. */
export type LogRow = {
  seq: GeneratedAlways<number>
  type: string
  time: Date
  level: Generated<LogLevel>
  text: string
}
