import type { RunningItem, User } from '@flotilla/contract/people/users'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { Sessions } from '../sessions/sessions'
import type { Users } from '../users/users'
import type { Runnable } from './running-things'

type Removal = { id: string; newOwner?: string | undefined; jobs?: 'cancel' | 'handOver' | undefined }

type Options = {
  users: Pick<Users, 'get' | 'endSessions' | 'requireRemovable' | 'removeWithin'>
  sessions: Sessions
  /** Ended in this order before their user is removed. */
  runnables: Runnable[]
  /** The path of a user's home directory on this machine, if they have one. */
  homeOf(person: User): Promise<string | null>
}

/** Removes users together with what they run. */
export const makeRemovals = ({ users, sessions, runnables, homeOf }: Options) => ({
  async running(id: string): Promise<{ running: RunningItem[]; home: string | null }> {
    const person = await users.get(id)
    const lists = runnables.map(async ({ kind, list }) =>
      (await list(id)).map((thing) => ({ kind, ...thing })),
    )
    return { running: (await Promise.all(lists)).flat(), home: await homeOf(person) }
  },

  async remove(
    me: Caller,
    { id, newOwner, jobs = 'handOver' }: Removal,
    context: RequestContext,
  ): Promise<void> {
    const person = await users.get(id)
    if (newOwner === id) fail('bad_input', { fields: { newOwner: 'must be someone else' } })
    // Programs end while the console can still act as the user, who cannot start any more.
    await context.transaction(
      async (tx) => {
        await users.requireRemovable(tx, id, newOwner)
        // Admins who remove themselves need their session until the end.
        if (me.id !== id) await users.endSessions(tx, person)
      },
      { changing: id },
    )
    sessions.forget(id)
    for (const { kind, end } of runnables) if (kind !== 'job' || jobs === 'cancel') await end(me, id, context)
    await context.transaction(
      async (tx) => {
        await users.requireRemovable(tx, id, newOwner)
        await users.removeWithin(tx, me, context, person, newOwner)
      },
      { changing: id },
    )
    sessions.forget(id)
  },
})
