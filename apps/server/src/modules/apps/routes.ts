import { apps as calls } from '@flotilla/contract/apps/apps'
import { appSessions } from '@flotilla/contract/apps/sessions'
import type { Bind } from '../../http/bind'
import type { Apps } from './apps'
import type { AppSessions } from './sessions/sessions'

export function bindApps(bind: Bind, apps: Apps, sessions: AppSessions): void {
  bind(calls.list, (_input, me) => apps.list(me))
  bind(calls.view, ({ id }, me) => apps.view(me, id))
  bind(calls.create, ({ body }, me, context) => apps.create(me, body, context))
  bind(calls.update, ({ body }, me, context) => apps.update(me, body, context))
  bind(calls.remove, async ({ id }, me, context) => {
    await apps.remove(me, id, context)
    return { id }
  })
  bind(appSessions.list, (_input, me, context) => sessions.list(me, context))
  bind(appSessions.view, ({ id }, me, context) => sessions.view(me, id, context))
  bind(appSessions.launch, ({ body }, me, context) => sessions.launch(me, body, context))
  bind(appSessions.open, ({ id }, me, context) => sessions.open(me, id, context))
  bind(appSessions.extend, ({ id, body }, me, context) => sessions.extend(me, id, body.minutes, context))
  bind(appSessions.share, ({ id, body }, me, context) => sessions.share(me, id, body.collaborators, context))
  bind(appSessions.end, ({ id }, me, context) => sessions.end(me, id, context))
  bind(appSessions.remove, async ({ id }, me, context) => {
    await sessions.remove(me, id, context)
    return { id }
  })
  bind(appSessions.log, ({ id, query }, me) => sessions.log(me, id, query.from))
}
