import { desktops as calls } from '@flotilla/contract/desktops/desktops'
import type { Bind } from '../../http/bind'
import type { Desktops } from './desktops'

export function bindDesktops(bind: Bind, desktops: Desktops): void {
  bind(calls.create, ({ id }, me, context) => desktops.create(me, id, context))
  bind(calls.list, ({ query }, me, { adminScope }) => desktops.list(me, query.cluster, adminScope))
  bind(calls.view, ({ id }, me) => desktops.view(me, id))
  bind(calls.ticket, ({ id, body }, me, context) => desktops.ticket(me, id, body.mode, context))
  bind(calls.password, ({ id }, me) => desktops.password(me, id))
  bind(calls.end, async ({ id }, me, context) => {
    await desktops.end(me, id, context)
    return { id }
  })
  bind(calls.endViewer, async ({ id, viewer }, me, context) => {
    await desktops.endViewer(me, id, viewer, context)
    return { id: viewer }
  })
}
