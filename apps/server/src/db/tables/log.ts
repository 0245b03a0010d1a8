import type { Generated, GeneratedAlways } from 'kysely'
import type { LogLevel } from '@flotilla/contract/clusters/entity'

/** A line of a log; a table of them adds whose it is. */
export type LogRow = {
  seq: GeneratedAlways<number>
  type: string
  time: Date
  level: Generated<LogLevel>
  text: string
}
