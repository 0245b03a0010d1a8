import type * as z from 'zod/mini'
import { isAdmin } from '@flotilla/contract/access'
import { isUnapproved, type User, type UserUpdate } from '@flotilla/contract/people/users'
import { changesOf } from '../../changes'
import type { Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { QueueMail } from '../../mail/tasks'
import { record, subjectOf } from '../activities/activities'
import type { OneTime } from '../onetime/onetime'
import type { Sessions } from '../sessions/sessions'
import type { makeApproval } from './kinds/approval'
import type { makeConfirm } from './confirm'
import { emailChangedMail } from './mails'
import { notifyPersonChanged } from './notify'
import * as store from './store'
import type { ScheduleEnd } from './ending/timed'
import { duplicateEntry, takenFields, unique } from './unique'

type Options = {
  sessions: Sessions
  oneTime: OneTime
  confirm: ReturnType<typeof makeConfirm>
  approval: ReturnType<typeof makeApproval>
  queueMail: QueueMail
  scheduleEnd: ScheduleEnd
  get: (id: string) => Promise<User>
  mayChange: (me: Caller, id: string, context: RequestContext) => void
  endSessions: (tx: Transaction, user: Pick<User, 'id' | 'username'>) => Promise<void>
}

/** The next login would overwrite these fields. */
function refuseDirectoryFields(before: User, change: z.output<typeof UserUpdate>): void {
  const given = (['firstName', 'lastName', 'email'] as const).filter(
    (field) => change[field] !== undefined && change[field] !== before[field],
  )
  if (given.length > 0)
    fail('bad_input', {
      fields: Object.fromEntries(given.map((field) => [field, 'This comes from the LDAP directory'])),
    })
}

export function makeUpdate(options: Options) {
  const { sessions, oneTime, confirm, approval, queueMail, scheduleEnd, get, mayChange, endSessions } =
    options
  return {
    async update(me: Caller, change: z.output<typeof UserUpdate>, context: RequestContext): Promise<User> {
      mayChange(me, change.id, context)
      const adminOnly = (['role', 'endTime', 'providers', 'verified', 'unixAccount'] as const).filter(
        (field) => change[field] !== undefined,
      )
      if (adminOnly.length > 0 && !isAdmin(me))
        fail('forbidden', { message: `Only an admin can change ${adminOnly.join(', ')}` })
      const before = await get(change.id)
      if (before.authType === 'ldap') refuseDirectoryFields(before, change)
      const movedTo = change.email === before.email ? undefined : change.email
      // Admins decide whether an address is confirmed, including their own.
      const mustConfirm =
        movedTo !== undefined && change.id === me.id && !isAdmin(me) && (await confirm.mustConfirm())
      const verified = mustConfirm ? false : change.verified
      // With a hijacked session, an attacker could change the address and recover the password there, create another
      // admin, or act as another user's account on clusters.
      const newAdmin = change.role?.includes('admin') && !before.role.includes('admin')
      const newAccount = change.unixAccount !== undefined && change.unixAccount !== before.unixAccount
      if (movedTo !== undefined || newAdmin || newAccount) await context.requireConfirmation()
      await unique(
        context.transaction(
          async (tx) => {
            const admins = await store.lockAdmins(tx)
            const losesAdminAccess =
              (change.role && !change.role.includes('admin')) ||
              typeof change.endTime === 'number' ||
              verified === false
            if (losesAdminAccess && admins.length === 1 && admins[0] === change.id) fail('last_admin')
            const { email, unixAccount } = change
            if (unixAccount) await store.lockNames(tx)
            const other =
              (email || unixAccount) && (await store.taken(tx, { email, unixAccount, exceptId: change.id }))
            if (other) throw duplicateEntry(isAdmin(me) ? takenFields(other, { unixAccount }) : undefined)
            // An unverified user cannot log in, so their sessions end. Access tokens stop working on their own. The
            // browsers are notified before the update closes their sockets.
            if (verified === false) await endSessions(tx, before)
            await scheduleEnd(tx, before, change.endTime)
            const found = await store.update(tx, change.id, {
              ...(change.firstName !== undefined && { first_name: change.firstName }),
              ...(change.lastName !== undefined && { last_name: change.lastName }),
              ...(change.email !== undefined && { email: change.email }),
              ...(change.role !== undefined && { role: change.role }),
              ...(change.endTime !== undefined && {
                end_time: change.endTime === null ? null : new Date(change.endTime),
              }),
              ...(change.providers !== undefined && { providers: change.providers }),
              ...(unixAccount !== undefined && { unix_account: unixAccount }),
              ...(verified !== undefined && { verified }),
            })
            if (!found) fail('not_found')
            // An admin who grants such a role knows the user, so this approves them.
            if (isUnapproved(before) && change.role?.some((role) => role !== 'user'))
              await approval.approveWith(tx, me, context, before)
            const { id: _same, ...changed } = change
            const fields = Object.keys(changed)
            await record(tx, me, context, {
              action: 'user updated',
              subject: subjectOf('user', before),
              detail: fields.join(', '),
              changes: changesOf(before, { ...changed, verified }),
            })
            // The old address is notified in case its owner did not make this change.
            if (movedTo !== undefined) {
              await oneTime.forget(tx, change.id, 'reset', 'verify')
              await queueMail(tx, emailChangedMail(before, movedTo))
            }
            if (mustConfirm) await confirm.sendCode(tx, { ...before, email: movedTo })
            await notifyPersonChanged(tx, change.id)
          },
          { changing: change.id },
        ),
      )
      sessions.forget(change.id)
      return get(change.id)
    },
  }
}
