import { acm as calls } from '@flotilla/contract/clouds/acm'
import type { Bind } from '../../http/bind'
import type { Acm } from './acm'

export function bindAcm(bind: Bind, acm: Acm): void {
  bind(calls.enabled, (_input, me) => acm.enabled(me))
  bind(calls.syncShapes, (_input, me, context) => acm.syncShapes(me, context))
  bind(calls.releaseNodes, ({ body }, me, context) => acm.releaseNodes(me, body.hostnames, context))
  bind(calls.images, ({ query }, me) => acm.images(me, query.credentialId))
  bind(calls.shapes, ({ query }, me) => acm.shapes(me, query.credentialId))
  bind(calls.machines, ({ query }, me) => acm.machines(me, query.credentialId))
}
