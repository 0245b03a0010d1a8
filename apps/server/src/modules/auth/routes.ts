import { auth as calls } from '@flotilla/contract/people/auth'
import { inConstantTime } from '../../timing/constant-time'
import { fail } from '../../fail'
import type { Bind } from '../../http/bind'
import type { Sessions } from '../sessions/sessions'
import type { Auth } from './auth'

export function bindAuth(bind: Bind, auth: Auth, sessions: Sessions): void {
  bind(calls.register, ({ body }, _me, context) => auth.register(body, context))
  bind(calls.login, ({ body }, _me, context) => auth.login(body, context))
  bind(calls.ldapLogin, ({ body }, _me, context) => auth.ldapLogin(body, context))
  bind(calls.logout, async (_input, me, context) => {
    await auth.logout(me, context)
    return { message: 'Logged out' }
  })
  bind(calls.refresh, (_input, me) => auth.refresh(me))
  bind(calls.confirm, ({ body }, me, context) => auth.confirm(me, body.password, context))
  bind(calls.update, ({ body }, me, context) => auth.updateMyself(me, body, context))
  bind(calls.verify, async ({ body }, _me, context) => {
    await auth.verify(body.username, body.code, context)
    return { verified: true }
  })
  bind(calls.resendCode, async ({ body }) => {
    await inConstantTime(auth.resendCode(body.username))
    return { message: 'A new code is on its way' }
  })
  bind(calls.invitation, ({ body }) => auth.invitation(body.userKey))
  bind(calls.sessions, (_input, me) => sessions.list(me))
  bind(calls.endSession, async ({ id }, me, context) => {
    if (!(await sessions.end(me, id, context))) fail('not_found')
    return { id }
  })
  bind(calls.endOtherSessions, async (_input, me, context) => ({
    ended: await sessions.endOthers(me, context),
  }))
}
