import { fail } from './fail'

/** Where a page of a list ends: the time and the id of its last row. */
export type Cursor = { at: Date; id: string }

const LATEST_MS = 8.64e15

export const encodeCursor = (at: Date | number, id: string): string => `${Number(at)}_${id}`

export function decodeCursor(cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined
  const [, ms = '', id = ''] = /^(\d{1,16})_(\w{1,64})$/.exec(cursor) ?? []
  if (id === '' || Number(ms) > LATEST_MS)
    return fail('bad_input', { fields: { cursor: 'is not a cursor of this list' } })
  return { at: new Date(Number(ms)), id }
}
