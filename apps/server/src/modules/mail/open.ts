import { mail as calls } from '@flotilla/contract/site/mail'
import type { Bind } from '../../http/bind'
import { makeMail } from './mail'

export function openMailSettings(deps: Parameters<typeof makeMail>[0]) {
  const api = makeMail(deps)
  const bindMail = (bind: Bind): void => {
    bind(calls.view, () => api.view())
    bind(calls.set, ({ body }, me, context) => api.set(me, body, context))
    bind(calls.test, ({ body }, me, context) => api.test(me, body.to, context))
  }
  return { api, bind: bindMail }
}
