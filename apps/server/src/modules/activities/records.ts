import { createHmac } from 'node:crypto'
import type { AuditSource } from '../../http/caller'
import { activityColumns, type NewActivity } from '../../db/tables'
import { newId } from '../../ids'

type Sign = AuditSource['sign']
export type UnsignedActivity = Omit<NewActivity, 'entry' | 'signature'>

export const makeSign =
  (key: Buffer): Sign =>
  (text) =>
    createHmac('sha256', key).update(text).digest('base64')

/** In this order. A column that is added later goes to the end: records from before have null there, which is left out. */
const signedColumns = activityColumns.filter((column) => column !== 'signature')
/** The signed columns of a record as text, each exactly as the database has it. */
export const signedFields = signedColumns
  .map((column) =>
    // In milliseconds, with a fraction if there is one, as no server writes it.
    column === 'time' ? `trim_scale(extract(epoch from a.time) * 1000)::text` : `a.${column}`,
  )
  .join(', ')

export type Fields = (string | null)[]
const trimmed = (fields: Fields): Fields =>
  fields.slice(0, fields.findLastIndex((field) => field !== null) + 1)
/** What is signed of a record. */
export const recordText = (fields: Fields): string => JSON.stringify(['record', trimmed(fields)])

/**
 * What is signed of a link of the chain: the link before it, its own place, and all of the record, so that whoever verifies the
 * link need not verify the signature of the record as well.
 */
export const linkText = (
  previous: string,
  position: number,
  activityId: number,
  { signature, fields }: { signature: string | null; fields: Fields },
) => JSON.stringify(['link', previous, position, activityId, signature, trimmed(fields)])

export type Head = { position: number; hash: string; unsigned_until: number }
/** What is signed of the end of the chain. */
export const headText = (head: Head) =>
  JSON.stringify(['head', head.position, head.hash, head.unsigned_until])

export function signed(activity: UnsignedActivity, sign: Sign): NewActivity {
  const row: NewActivity = { ...activity, entry: newId() }
  const fields = signedColumns.map((column) => {
    const value = row[column] ?? null
    return value instanceof Date ? String(value.getTime()) : value
  })
  return { ...row, signature: sign(recordText(fields)) }
}
