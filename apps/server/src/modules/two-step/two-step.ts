import type { NewTwoStepSettings, TwoStepChange, TwoStepSettings } from '@flotilla/contract/site/two-step'
import { changesOf } from '../../changes'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { notifySettingsChanged } from '../../live/live'
import { record } from '../activities/activities'
import * as store from './store'

const RULES_MAX = 100

const asSettings = (row: store.TwoStepRow): TwoStepSettings => ({
  id: row.id,
  name: row.name,
  enabled: row.enabled,
  emailDomains: row.email_domains,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
})
const subjectOf = ({ id, name }: { id: string; name: string }) =>
  ({ kind: 'settings', id, name: `two-step rule ${name}` }) as const

export function makeTwoStep({ db, now }: { db: Database; now: () => number }) {
  const list = async (): Promise<TwoStepSettings[]> => (await store.list(db.kysely)).map(asSettings)
  return {
    list,
    async add(me: Caller, given: NewTwoStepSettings, context: RequestContext): Promise<TwoStepSettings> {
      const at = new Date(now())
      const { name, enabled, emailDomains } = given
      const row = { id: newId(), name, enabled, email_domains: emailDomains, created_at: at, updated_at: at }
      await context.transaction(async (tx) => {
        if ((await store.list(tx)).length >= RULES_MAX)
          fail('wrong_state', { message: `There are already ${RULES_MAX} rules. Change one of them.` })
        await store.insert(tx, row)
        await record(tx, me, context, {
          action: 'changed',
          subject: subjectOf(row),
          detail: 'added',
          changes: changesOf({}, given),
        })
        await notifySettingsChanged(tx)
      })
      return asSettings(row)
    },
    async update(
      me: Caller,
      id: string,
      change: TwoStepChange,
      context: RequestContext,
    ): Promise<TwoStepSettings> {
      return context.transaction(async (tx) => {
        const before = asSettings((await store.lock(tx, id)) ?? fail('not_found'))
        const changes = changesOf(before, change)
        if (changes.length === 0) return before
        await store.update(tx, id, change, new Date(now()))
        await record(tx, me, context, { action: 'changed', subject: subjectOf(before), changes })
        await notifySettingsChanged(tx)
        return asSettings((await store.lock(tx, id)) ?? fail('not_found'))
      })
    },
  }
}
