import { leftovers as calls } from '@flotilla/contract/clusters/leftovers'
import type { Bind } from '../../http/bind'
import type { Leftovers } from './leftovers'

export function bindLeftovers(bind: Bind, leftovers: Leftovers): void {
  bind(calls.list, () => leftovers.list())
  bind(calls.search, () => leftovers.search())
  bind(calls.remove, ({ body }, me, context) => leftovers.remove(me, body.keys, context))
}
