import type { ColumnType } from 'kysely'

/** Read as parsed JSON, written as text. */
export type Json = ColumnType<unknown, string | undefined, string>
