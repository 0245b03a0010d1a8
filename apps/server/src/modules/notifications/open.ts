import { notifications as calls } from '@flotilla/contract/site/notifications'
import type { Bind } from '../../http/bind'
import { makeNotifications, type Options } from './notifications'

export function openNotifications(deps: Options) {
  const notifications = makeNotifications(deps)
  return {
    bind(bind: Bind): void {
      bind(calls.view, (_input, me) => notifications.view(me))
      bind(calls.set, ({ body }, me, context) => notifications.set(me, body.jobs, context))
    },
    /** Runs as a sweep, so that jobs that end together are reported together. */
    sweep: notifications.report,
  }
}
