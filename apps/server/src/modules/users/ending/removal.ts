import { newOwnerBlockedReason, type OwnedItem, type User } from '@flotilla/contract/people/users'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource } from '../../../http/caller'
import { notifyIdentityChanged, publish, userRoom } from '../../../live/live'
import { record, subjectOf, type Actor } from '../../activities/activities'
import * as store from '../store'
import { notifyPeople, type Ownable } from '../../sharing/sharing'

type Options = {
  db: Database
  ownables: Ownable[]
  get(id: string): Promise<User>
  now: () => number
}

/** Removes accounts and transfers what they own. */
export function makeRemoval({ db, ownables, get, now }: Options) {
  const ownedThings = async (tx: Transaction, id: string): Promise<OwnedItem[]> => {
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

  const handOver = async (tx: Transaction, things: OwnedItem[], from: string, to: string): Promise<void> => {
    const kinds = new Set(things.map(({ kind }) => kind))
    for (const { kind, changed, transferOwnership } of ownables) {
      await transferOwnership(tx, from, to)
      if (kinds.has(kind)) await notifyPeople(tx, changed, [to])
    }
    // Subscribes the new owner's browsers to the events of these things.
    if (kinds.size > 0) await notifyIdentityChanged(tx, to)
  }

  const requireUsable = async (tx: Transaction, newOwner: string) => {
    const owner = await store.lockOwner(tx, newOwner)
    const reason = owner
      ? newOwnerBlockedReason({ endTime: owner.end_time?.getTime() ?? null, role: owner.role }, now())
      : 'is not a user of this site'
    if (reason !== null) fail('bad_input', { fields: { newOwner: reason } })
  }

  /** Requires a transaction that holds the user's lock. Ownership of their things goes to the new owner. */
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
    /** Fails if the user cannot be removed, or if a new owner is needed for their things. */
    async requireRemovable(tx: Transaction, id: string, newOwner: string | undefined): Promise<void> {
      const admins = await store.lockAdmins(tx)
      if (newOwner !== undefined) await requireUsable(tx, newOwner)
      if (admins.length === 1 && admins[0] === id) fail('last_admin')
      await requireNewOwner(tx, id, newOwner)
    },
    async owned(id: string): Promise<OwnedItem[]> {
      await get(id)
      return db.transaction((tx) => ownedThings(tx, id))
    },
  }
}
