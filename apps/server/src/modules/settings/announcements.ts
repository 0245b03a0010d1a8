import * as z from 'zod/mini'
import { Announcement, type announcements } from '@flotilla/contract/site/announcement'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { record } from '../activities/activities'
import { notifySettingsChanged } from '../../live/live'
import * as store from './store'

type Current = z.output<typeof announcements.view.reply>
type Given = z.output<typeof announcements.set.body>

const subject = { kind: 'announcement', id: 'announcement', name: 'announcement' } as const

export function makeAnnouncements(db: Database, now: () => number) {
  const current = async (): Promise<Current> => {
    const found = z.nullable(Announcement).parse(await store.announcement(db.kysely))
    return { announcement: found && found.endsAt > now() ? found : null }
  }
  return {
    current,
    async set(me: Caller, { text, endsAt }: Given, context: RequestContext): Promise<Current> {
      if (endsAt <= now()) fail('bad_input', { fields: { endsAt: 'Choose a time in the future' } })
      await context.transaction(async (tx) => {
        await store.setAnnouncement(tx, { text, endsAt, by: me.username, at: now() })
        await record(tx, me, context, { action: 'posted', subject, detail: text })
        await notifySettingsChanged(tx)
      })
      return current()
    },
    async remove(me: Caller, context: RequestContext): Promise<Current> {
      await context.transaction(async (tx) => {
        if ((await store.announcement(tx)) === null) return
        await store.setAnnouncement(tx, null)
        await record(tx, me, context, { action: 'removed', subject })
        await notifySettingsChanged(tx)
      })
      return current()
    },
  }
}
