import type { Lockout, User } from '@flotilla/contract/people/users'
import type { Database } from '../../../db/database'
import type { Caller, RequestContext } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import { loginAttempt, passwordAttempt, type Attempts } from '../../attempts/attempts'
import { notifyPeople } from '../../sharing/sharing'
import * as store from '../store'

type Options = { db: Database; attempts: Attempts; get: (id: string) => Promise<User> }

/**
 * Users who are locked out after too many wrong passwords. Usernames are stored as hashes, so each account is looked up
 * by its own.
 */
export const makeLockouts = ({ db, attempts, get }: Options) => ({
  async lockouts(): Promise<Lockout[]> {
    const spent = await attempts.lockouts()
    if (spent.length === 0) return []
    const people = await store.allNames(db.kysely)
    return people.flatMap(({ id, username }) => {
      const anywhere = loginAttempt(username)
      return spent.flatMap(({ key, until }): Lockout[] => {
        if (key === anywhere || key === passwordAttempt(id)) return [{ id, username, network: null, until }]
        const from = `${anywhere} from `
        return key.startsWith(from) ? [{ id, username, network: key.slice(from.length), until }] : []
      })
    })
  },
  async liftLockout(me: Caller, id: string, context: RequestContext): Promise<void> {
    const person = await get(id)
    await context.transaction(async (tx) => {
      await attempts.lift(tx, person)
      await record(tx, me, context, { action: 'lockout lifted', subject: subjectOf('user', person) })
      await notifyPeople(tx, 'users', [id])
    })
  },
})
