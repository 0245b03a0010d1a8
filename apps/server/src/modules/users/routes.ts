import { messages } from '@flotilla/contract/messages'
import { users as calls } from '@flotilla/contract/people/users'
import { inConstantTime } from '../../timing/constant-time'
import type { Bind } from '../../http/bind'
import type { Users } from './users'

export function bindUsers(bind: Bind, users: Users): void {
  bind(calls.list, async ({ query }, _me, context) => {
    const { items, next } = await users.list(query)
    context.nextCursor(next)
    return items
  })
  bind(calls.create, ({ body }, me, context) => users.create(me, body, context))
  bind(calls.update, ({ body }, me, context) => users.update(me, body, context))
  bind(calls.changePassword, async ({ body }, me, context) => {
    await users.changePassword(me, body, context)
    return { message: messages.passwordUpdated }
  })
  bind(calls.approve, ({ body }, me, context) => users.approve(me, body.ids, body.approved, context))
  bind(calls.owned, ({ id }) => users.owned(id))
  bind(calls.invite, ({ id }, me, context) => users.invite(me, id, context))
  bind(calls.logOutEverywhere, async ({ id }, me, context) => {
    await users.logOutEverywhere(me, id, context)
    return { message: 'Logged out everywhere, access tokens revoked' }
  })
  bind(calls.lockouts, () => users.lockouts())
  bind(calls.liftLockout, async ({ id }, me, context) => {
    await users.liftLockout(me, id, context)
    return { message: 'Lockout lifted' }
  })
  bind(calls.recoverPassword, async ({ body }, _me, context) => {
    await inConstantTime(users.recoverPassword(body.username, context))
    return { message: messages.recoveryEmailSent }
  })
  bind(calls.verifyResetToken, async ({ body }) => ({ username: await users.resetTokenOwner(body.token) }))
  bind(calls.resetPassword, async ({ body }, _me, context) => {
    await users.resetPassword(body.token, body.password, context)
    return { message: messages.passwordReset }
  })
  bind(calls.publicKey, async (_input, me) => ({ publicKey: await users.publicKey(me) }))
  bind(calls.downloadSshKey, async (_input, me, context) => ({
    name: `${me.username}.pem`,
    content: await users.downloadSshKey(me, context),
  }))
}
