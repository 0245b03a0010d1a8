import {
  newOwnerBlockedReason,
  type OwnedThing,
  type RunningThing,
  type User,
} from '@flotilla/contract/people/users'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource, Caller, RequestContext } from '../../../http/caller'
import { notifyIdentityChanged, publish, userRoom } from '../../../live/live'
import { record, subjectOf, type Actor } from '../../activities/activities'
import type { Sessions } from '../../sessions/sessions'
import * as store from '../store'
import { notifyPeople, type Ownable } from '../../sharing/sharing'

/** A kind of thing that users run. A module that has some adds one, so that none outlives its user by mistake. */
export type Runnable = {
  kind: RunningThing['kind']
  list(userId: string): Promise<Omit<RunningThing, 'kind'>[]>
  /** Fails if something could not be ended and must not be left behind. */
  end(me: Caller, userId: string, context: RequestContext): Promise<unknown>
}
type Removal = { id: string; newOwner?: string | undefined; jobs?: 'cancel' | 'handOver' | undefined }

type Options = {
  db: Database
  sessions: Sessions
  endSessions(tx: Transaction, person: Pick<User, 'id' | 'username'>): Promise<unknown>
  ownables: Ownable[]
  get(id: string): Promise<User>
  now: () => number
}

/** Removes people and hands on what they own. */
export function makeRemoval({ db, sessions, endSessions, ownables, get, now }: Options) {
  const runnables: Runnable[] = []
  let homeOf: (person: User) => Promise<string | null> = async () => null
  const ownedThings = async (tx: Transaction, id: string): Promise<OwnedThing[]> => {
    const lists = await Promise.all(
      ownables.map(async ({ kind, list }) => (await list(tx, id)).map((thing) => ({ kind, ...thing }))),
    )
    return lists.flat()
  }

  const requireNewOwner = async (tx: Transaction, id: string, newOwner: string | undefined) => {
    const things = await ownedThings(tx, id)
    if (things.length > 0 && newOwner === undefined) fail('owner_needed', { extras: { owned: things } })
    return things
  }

  const handOver = async (tx: Transaction, things: OwnedThing[], from: string, to: string): Promise<void> => {
    const kinds = new Set(things.map(({ kind }) => kind))
    for (const { kind, changed, transferOwnership } of ownables) {
      await transferOwnership(tx, from, to)
      if (kinds.has(kind)) await notifyPeople(tx, changed, [to])
    }
    // Their browsers receive what happens to these things from now on.
    if (kinds.size > 0) await notifyIdentityChanged(tx, to)
  }

  const requireUsable = async (tx: Transaction, newOwner: string) => {
    const owner = await store.lockOwner(tx, newOwner)
    const reason = owner
      ? newOwnerBlockedReason({ endTime: owner.end_time?.getTime() ?? null, role: owner.role }, now())
      : 'is not a user of this site'
    if (reason !== null) fail('bad_input', { fields: { newOwner: reason } })
  }

  /** In a transaction that holds the person's lock. What they own goes to the new owner. */
  const removeWithin = async (
    tx: Transaction,
    actor: Actor,
    source: AuditSource,
    person: Pick<User, 'id' | 'username'>,
    newOwner: string | undefined,
  ): Promise<void> => {
    const { id, username } = person
    const things = await requireNewOwner(tx, id, newOwner)
    if (newOwner !== undefined) await handOver(tx, things, id, newOwner)
    await record(tx, actor, source, { action: 'user removed', subject: subjectOf('user', person) })
    await publish(tx, [userRoom(id)], { event: 'silentLogout', data: { username } })
    await store.remove(tx, id)
    await notifyPeople(tx, 'users', [id])
  }

  return {
    removeWithin,
    /** Ended before their person is removed, in this order. */
    addRunnables: (...added: Runnable[]): void => void runnables.push(...added),
    /** Where a person's home directory on this machine is, if they have one. */
    setHomes: (of: typeof homeOf): void => void (homeOf = of),
    async running(id: string): Promise<{ running: RunningThing[]; home: string | null }> {
      const person = await get(id)
      const lists = runnables.map(async ({ kind, list }) =>
        (await list(id)).map((thing) => ({ kind, ...thing })),
      )
      return { running: (await Promise.all(lists)).flat(), home: await homeOf(person) }
    },
    async owned(id: string): Promise<OwnedThing[]> {
      await get(id)
      return db.transaction((tx) => ownedThings(tx, id))
    },

    async remove(
      me: Caller,
      { id, newOwner, jobs = 'handOver' }: Removal,
      context: RequestContext,
    ): Promise<void> {
      const person = await get(id)
      if (newOwner === id) fail('bad_input', { fields: { newOwner: 'must be someone else' } })
      const requireRemovable = async (tx: Transaction): Promise<void> => {
        const admins = await store.lockAdmins(tx)
        if (newOwner !== undefined) await requireUsable(tx, newOwner)
        if (admins.length === 1 && admins[0] === id) fail('last_admin')
        await requireNewOwner(tx, id, newOwner)
      }
      // What they run ends while the console can still act as them, and they start nothing more.
      await context.transaction(
        async (tx) => {
          await requireRemovable(tx)
          // An admin who removes themselves needs theirs until the end.
          if (me.id !== id) await endSessions(tx, person)
        },
        { changing: id },
      )
      sessions.forget(id)
      for (const { kind, end } of runnables)
        if (kind !== 'job' || jobs === 'cancel') await end(me, id, context)
      await context.transaction(
        async (tx) => {
          await requireRemovable(tx)
          await removeWithin(tx, me, context, person, newOwner)
        },
        { changing: id },
      )
      sessions.forget(id)
    },
  }
}
