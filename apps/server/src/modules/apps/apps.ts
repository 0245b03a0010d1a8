import type { App, AppInput } from '@flotilla/contract/apps/apps'
import { isAdmin } from '@flotilla/contract/access'
import { changesOf } from '../../changes'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { notifyEveryone } from '../../live/live'
import { record, subjectOf } from '../activities/activities'
import { finders, isMine } from '../sharing/sharing'
import { builtInApps } from './built-in'
import * as store from './store'

const asApp = (row: store.FoundApp, me: Caller): App => ({
  ...row.data,
  name: row.name,
  id: row.id,
  owner: row.owner,
  mine: isMine(me, row),
  builtIn: false,
  opens: 'session',
  updatedAt: row.updated_at.getTime(),
})

export type Apps = ReturnType<typeof makeApps>
/** The catalog of apps: the built-in ones, and those that admins and instructors add. */
export function makeApps(db: Database, now: () => number) {
  /** Visible to users who can start the app, to its owner, and to admins, who manage all apps. */
  const mayRead = (me: Caller, app: App): boolean => isAdmin(me) || app.mine || mayStart(me, app)
  const mayStart = ({ role }: Pick<Caller, 'role'>, { allowedRoles }: Pick<App, 'allowedRoles'>): boolean =>
    role.some((one) => allowedRoles.includes(one))

  const view = async (me: Caller, id: string): Promise<App> => {
    const row = await store.findApp(db.kysely, id)
    const app = builtInApps.find((one) => one.id === id) ?? (row && asApp(row, me))
    return app && mayRead(me, app) ? app : fail('not_found')
  }
  const added = finders('app', (id) => store.findApp(db.kysely, id))
  const mine = async (me: Caller, id: string, context: RequestContext): Promise<store.FoundApp> => {
    if (builtInApps.some((one) => one.id === id))
      fail('forbidden', {
        message: 'Built-in apps cannot be changed. Duplicate the app and edit the copy.',
      })
    return added.mine(me, id, context)
  }

  const list = async (me: Caller): Promise<App[]> => {
    const own = (await store.listApps(db.kysely)).map((row) => asApp(row, me))
    return [...builtInApps, ...own].filter((app) => mayRead(me, app))
  }

  return {
    view,
    list,
    /** The ids that do not belong to an app which this user can see. */
    async unknown(me: Caller, ids: string[]): Promise<string[]> {
      const known = new Set((await list(me)).map(({ id }) => id))
      return ids.filter((id) => !known.has(id))
    },
    /** Returns the app if this user can start it. */
    async startable(me: Caller, id: string): Promise<App> {
      const app = await view(me, id)
      if (!mayStart(me, app))
        fail('forbidden', { message: `Your role does not allow you to start ${app.name}` })
      return app
    },
    async create(me: Caller, input: AppInput, context: RequestContext): Promise<App> {
      const id = newId()
      const at = new Date(now())
      const { name, ...data } = input
      await context.transaction(async (tx) => {
        const row = { id, owner_id: me.id, name, data: JSON.stringify(data), created_at: at, updated_at: at }
        await store.insertApp(tx, row)
        await record(tx, me, context, { action: 'created', subject: { kind: 'app', id, name } })
        await notifyEveryone(tx, 'apps')
      })
      return view(me, id)
    },
    async update(
      me: Caller,
      { id, ...input }: AppInput & { id: string },
      context: RequestContext,
    ): Promise<App> {
      const before = await mine(me, id, context)
      const { name, ...data } = input
      await context.transaction(async (tx) => {
        await store.updateApp(tx, id, { name, data: JSON.stringify(data), updated_at: new Date(now()) })
        await record(tx, me, context, {
          action: 'edited',
          subject: { kind: 'app', id, name },
          changes: changesOf({ ...before.data, name: before.name }, input),
        })
        await notifyEveryone(tx, 'apps')
      })
      return view(me, id)
    },
    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const app = await mine(me, id, context)
      await context.transaction(async (tx) => {
        await store.removeApp(tx, id)
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('app', app) })
        await notifyEveryone(tx, 'apps')
      })
    },
  }
}
