import { activities as calls, type ActivityFilter } from '@flotilla/contract/people/activities'
import type { Database } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { Caller, RequestContext } from '../../http/caller'
import type { Queue } from '../../queue/queue'
import { record, searchActivities } from './activities'
import { asCsv, asJson } from './export'
import { verifyTask, type makeVerification } from './verification'

type Deps = {
  db: Database
  queue: Queue
  verification: ReturnType<typeof makeVerification>
  now: () => number
}

export function bindActivities(bind: Bind, { db, queue, verification, now }: Deps): void {
  bind(calls.list, async ({ query }, _me, context) => {
    const { items, next } = await searchActivities(db, query)
    context.nextCursor(next)
    return items
  })

  /** Records an export of the trail in the trail itself. */
  const recordExport = (me: Caller, context: RequestContext, filter: ActivityFilter, format: string) =>
    context.transaction((tx) =>
      record(tx, me, context, {
        action: 'audit trail exported',
        subject: { kind: 'audit trail', id: null, name: 'audit trail' },
        detail: [format, ...Object.entries(filter).map(([name, value]) => `${name}: ${value}`)].join(', '),
      }),
    )
  const fileName = (extension: string) => `audit-${new Date(now()).toISOString().slice(0, 10)}.${extension}`
  bind(calls.exportCsv, async ({ query }, me, context) => {
    await recordExport(me, context, query, 'CSV')
    return { name: fileName('csv'), content: asCsv(db, query) }
  })
  bind(calls.exportJson, async ({ query }, me, context) => {
    await recordExport(me, context, query, 'JSON')
    return { name: fileName('json'), content: asJson(db, query) }
  })

  bind(calls.verification, () => verification.last())
  bind(calls.verify, async (_input, _me, context) => {
    await context.transaction((tx) => queue.add(tx, verifyTask, {}))
    return { message: 'The audit trail is being verified' }
  })
}
