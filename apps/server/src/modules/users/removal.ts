import type { OwnedThing, User } from '@flotilla/contract/people/users'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { publish, userRoom } from '../../live/live'
import { record, subjectOf } from '../activities/activities'
import type { Sessions } from '../sessions/sessions'
import * as store from './store'
import { notifyPeople, type Ownable } from '../sharing/sharing'

type Options = {
  db: Database
  sessions: Sessions
  ownables: Ownable[]
  get(id: string): Promise<User>
}

/** Removes people and hands on what they own. */
export function makeRemoval({ db, sessions, ownables, get }: Options) {
  const ownedThings = async (tx: Transaction, id: string): Promise<OwnedThing[]> => {
    const lists = await Promise.all(
      ownables.map(async ({ kind, list }) => (await list(tx, id)).map((thing) => ({ kind, ...thing }))),
    )
    return lists.flat()
  }

  return {
    async owned(id: string): Promise<OwnedThing[]> {
      await get(id)
      return db.transaction((tx) => ownedThings(tx, id))
    },

    async remove(
      me: Caller,
      id: string,
      newOwner: string | undefined,
      context: RequestContext,
    ): Promise<void> {
      const person = await get(id)
      if (newOwner === id) fail('bad_input', { fields: { newOwner: 'must be someone else' } })
      await context.transaction(
        async (tx) => {
          const admins = await store.lockAdmins(tx)
          if (newOwner !== undefined && !(await store.lock(tx, newOwner)))
            fail('bad_input', { fields: { newOwner: 'is not a user of this site' } })
          if (admins.length === 1 && admins[0] === id) fail('last_admin')
          const things = await ownedThings(tx, id)
          if (things.length > 0 && newOwner === undefined) fail('owner_needed', { extras: { owned: things } })
          for (const ownable of ownables)
            if (newOwner !== undefined) await ownable.transferOwnership(tx, id, newOwner)
          await record(tx, me, context, { action: 'user removed', subject: subjectOf('user', person) })
          await publish(tx, [userRoom(id)], { event: 'silentLogout', data: { username: person.username } })
          await store.remove(tx, id)
          await notifyPeople(tx, 'users', [id])
        },
        { changing: id },
      )
      sessions.forget(id)
    },
  }
}
