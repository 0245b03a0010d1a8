import { backups as calls } from '@flotilla/contract/site/backups'
import type { Bind } from '../../http/bind'
import type { Backups } from './backups'

export function bindBackups(bind: Bind, backups: Pick<Backups, 'view' | 'set' | 'start' | 'cancel'>): void {
  bind(calls.view, () => backups.view())
  bind(calls.set, ({ body }, me, context) => backups.set(me, body, context))
  bind(calls.start, (_input, me, context) => backups.start(me, context))
  bind(calls.cancel, (_input, me, context) => backups.cancel(me, context))
}
