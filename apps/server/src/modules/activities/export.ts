import { changeTexts } from '@flotilla/contract/people/audit'
import type { Activity, ActivityFilter } from '@flotilla/contract/people/activities'
import type { Database } from '../../db/database'
import { searchActivities } from './activities'

const BATCH = 1000

async function* pages(db: Database, filter: ActivityFilter): AsyncGenerator<Activity[]> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof searchActivities>> = await searchActivities(db, {
      ...filter,
      limit: BATCH,
      ...(cursor !== null && { cursor }),
    })
    if (page.items.length > 0) yield page.items
    cursor = page.next
  } while (cursor !== null)
}

/** A JSON array with one record per line. */
export async function* asJson(db: Database, filter: ActivityFilter): AsyncGenerator<Uint8Array> {
  let separator = '[\n'
  for await (const items of pages(db, filter)) {
    yield Buffer.from(separator + items.map((item) => JSON.stringify(item)).join(',\n'))
    separator = ',\n'
  }
  yield Buffer.from(separator === '[\n' ? '[]\n' : '\n]\n')
}

const columns: Record<string, (activity: Activity) => string | null> = {
  id: ({ id }) => id,
  time: ({ time }) => new Date(time).toISOString(),
  actor: ({ actor }) => actor,
  actorId: ({ actorId }) => actorId,
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  subjectKind: ({ subjectKind }) => subjectKind,
  subjectId: ({ subjectId }) => subjectId,
  detail: ({ detail }) => detail,
  changes: ({ changes }) =>
    changes
      .map((change) => {
        const { before, after } = changeTexts(change)
        return 'secret' in change ? `${change.field}: changed` : `${change.field}: ${before} -> ${after}`
      })
      .join('\n'),
  address: ({ address }) => address,
  requestId: ({ requestId }) => requestId,
  sessionId: ({ sessionId }) => sessionId,
  tokenId: ({ tokenId }) => tokenId,
}

/** A spreadsheet evaluates a cell that begins like a formula; a leading apostrophe makes it text. */
const cell = (value: string | null): string => {
  const text = value ?? ''
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
const line = (cells: (string | null)[]): string => `${cells.map(cell).join(',')}\r\n`

export async function* asCsv(db: Database, filter: ActivityFilter): AsyncGenerator<Uint8Array> {
  yield Buffer.from(line(Object.keys(columns)))
  for await (const items of pages(db, filter))
    yield Buffer.from(
      items.map((item) => line(Object.values(columns).map((valueOf) => valueOf(item)))).join(''),
    )
}
