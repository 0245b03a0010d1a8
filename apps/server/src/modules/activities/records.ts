import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { AuditSource } from '../../http/caller'
import { activityColumns, type NewActivity } from '../../db/tables/activities'
import { newId } from '../../ids'

type Sign = AuditSource['sign']
export type UnsignedActivity = Omit<NewActivity, 'entry' | 'signature'>

export const makeSign =
  (key: Buffer): Sign =>
  (text) =>
    createHmac('sha256', key).update(text).digest('base64')

/**
 * The order is fixed. A column that is added later goes at the end: earlier records have null there, and trailing nulls
 * are not signed.
 */
const signedColumns = activityColumns.filter((column) => column !== 'signature')
/** SQL for the content of a record `a`: its signed columns as a JSON array, each as the exact text in the database. */
export const contentColumn = `json_build_array(${signedColumns
  .map((column) =>
    // In milliseconds. No server writes a fraction, so a fraction reveals a change by hand.
    column === 'time' ? `trim_scale(extract(epoch from a.time) * 1000)::text` : `a.${column}`,
  )
  .join(', ')})::text`

const Fields = z.array(z.nullable(z.string()))
/** The columns of a record's content. */
export const fieldsOf = (content: string) => Fields.parse(JSON.parse(content))

/** The text that is signed for a record. */
export const recordText = (fields: (string | null)[]): string =>
  JSON.stringify(['record', ...fields.slice(0, fields.findLastIndex((field) => field !== null) + 1)])

const NULL = ', null'
/**
 * The text that is signed for a link of the chain: the previous link, its own position and the whole record, so that
 * verifying the link also verifies the record's signature.
 */
export function linkText(
  previous: string,
  position: number,
  activityId: number,
  { signature, content }: { signature: string | null; content: string },
): string {
  // The closing bracket and trailing nulls are left out.
  let end = content.length - 1
  while (content.endsWith(NULL, end)) end -= NULL.length
  return JSON.stringify(['link', previous, position, activityId, signature]) + content.slice(0, end)
}

export type Head = { position: number; hash: string; unsigned_until: number }
/** The text that is signed for the end of the chain. */
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
