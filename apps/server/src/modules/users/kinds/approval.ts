import { isAdmin } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { notifyRooms, userRoom } from '../../../live/live'
import type { QueueMail } from '../../../mail/tasks'
import { record, subjectOf } from '../../activities/activities'
import { approvedMail } from '../mails'
import { notifyPersonChanged } from '../notify'
import * as store from '../store'

type Options = {
  db: Database
  queueMail: QueueMail
  siteUrl: () => Promise<string>
  now: () => number
}
type Person = Pick<User, 'id' | 'username' | 'email'>

/** Admin approval for self-registered users to use this machine. Running jobs continue when it is revoked. */
export function makeApproval({ db, queueMail, siteUrl, now }: Options) {
  const set = async (
    tx: Transaction,
    me: Caller,
    context: RequestContext,
    person: Person,
    approved: boolean,
  ): Promise<void> => {
    const values = { approved_at: new Date(now()), approved_by: me.username }
    await store.update(tx, person.id, approved ? values : { approved_at: null, approved_by: null })
    await record(tx, me, context, {
      action: approved ? 'user approved' : 'approval revoked',
      subject: subjectOf('user', person),
      changes: [{ field: 'approved', before: !approved, after: approved }],
    })
    if (approved) await queueMail(tx, approvedMail(person, await siteUrl()))
    await notifyPersonChanged(tx, person.id)
    // Refreshes the pages that show what they may do on clusters.
    await notifyRooms(tx, [userRoom(person.id)], 'settings')
  }

  return {
    /** Approves a user together with another change, such as a role that only an admin grants. */
    approveWith: (tx: Transaction, me: Caller, context: RequestContext, person: Person) =>
      set(tx, me, context, person, true),

    async approve(me: Caller, ids: string[], approved: boolean, context: RequestContext): Promise<User[]> {
      await context.transaction(async (tx) => {
        const people = await store.lockPeople(tx, ids)
        if (people.length < new Set(ids).size) fail('not_found')
        const known = people.filter(({ registered }) => !registered)
        if (known.length > 0)
          fail('bad_input', { fields: { ids: `${namesOf(known)}: an admin created the account` } })
        const admins = people.filter(isAdmin)
        if (!approved && admins.length > 0)
          fail('wrong_state', { message: `${namesOf(admins)}: admins can always use this machine` })
        for (const person of people)
          if ((person.approved_at !== null) !== approved) await set(tx, me, context, person, approved)
      })
      return store.findAll(db.kysely, ids)
    },
  }
}

const namesOf = (people: { username: string }[]): string => people.map(({ username }) => username).join(', ')
