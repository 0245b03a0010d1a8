import { changesOf } from '../../changes'
import { isAdmin, isParticipant } from '@flotilla/contract/access'
import type { Page } from '@flotilla/contract/lists'
import type { Changed } from '@flotilla/contract/events'
import type { SubjectKind } from '@flotilla/contract/people/audit'
import { byCreation, readPage, type Cursor } from '../../db/cursors'
import type { Queryable, Transaction } from '../../db/database'
import { usersNamed } from '../../db/people'
import { handedOn, shared, type HandedOnTable, type OwnedTable, type SharedTable } from '../../db/owned'
import type { Viewer } from '../../db/visible'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { notifyRooms, roleRoom, userRoom } from '../../live/live'
import { record, subjectOf, type ActivityInput } from '../activities/activities'

/** Ownership of a thing. */
type Owned = { owner_id: string; owner: string }
type Shared = { owner_id: string; collaborators: readonly { id: string }[] }

/** A kind of thing that users own: a removed user's things go to a new owner. */
export type Ownable = {
  kind: string
  /** The data that its new owner's pages refetch. */
  changed: Changed
  list(db: Transaction, ownerId: string): Promise<{ id: string; name: string }[]>
  transferOwnership(tx: Transaction, from: string, to: string): Promise<void>
}

/** The kind of thing in each table, in the order in which an admin sees what a user owns. */
const kinds = {
  clusters: 'cluster',
  stacks: 'stack',
  jobs: 'job',
  apps: 'app',
  credentials: 'credential',
  courses: 'course',
  trainings: 'workshop',
} as const satisfies Record<HandedOnTable, SubjectKind>

/** The change that is announced for things in a table. */
const changedOf = (table: OwnedTable): Changed =>
  table === 'jobs' ? 'queuedjobs' : table === 'app_sessions' ? 'apps' : table

// Border: `keys` loses the type of the keys.
export const ownables = (Object.keys(kinds) as HandedOnTable[]).map((table): Ownable => ({
  kind: kinds[table],
  changed: changedOf(table),
  ...handedOn(table),
}))

export const viewerOf = (me: Pick<Caller, 'id' | 'role'>): Viewer => ({
  id: me.id,
  admin: isAdmin(me),
  participant: isParticipant(me),
})

/** Whether the page of a thing offers to change it. */
export const isMine = (me: Pick<Caller, 'id' | 'role'>, { owner_id }: Pick<Owned, 'owner_id'>): boolean =>
  owner_id === me.id || isAdmin(me)

/** Returns the thing if this user may change it: their own, or any for an admin with admin scope. */
export function requireOwner<Thing extends Owned>(
  noun: string,
  thing: Thing,
  me: Caller,
  { adminScope }: Pick<RequestContext, 'adminScope'>,
): Thing {
  if (thing.owner_id === me.id || adminScope) return thing
  if (isAdmin(me)) return fail('admin_scope_needed')
  return fail('forbidden', { message: `Only ${thing.owner}, the owner of this ${noun}, can do this` })
}

/** One page of the things that a user can see, newest first. */
export const visiblePage = <Thing extends Parameters<typeof byCreation>[0]>(
  db: Queryable,
  me: Pick<Caller, 'id' | 'role'>,
  page: Page,
  list: (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) => Promise<Thing[]>,
) => readPage(page, (limit, after) => list(db, viewerOf(me), limit, after), byCreation)

/** Finds things of one kind. A thing that the user may not see is reported as not found. */
export function finders<Thing extends Owned>(
  noun: string,
  lookup: (id: string, viewer: Viewer, adminScope: boolean) => Promise<Thing | undefined>,
) {
  const find = async (
    me: Pick<Caller, 'id' | 'role'>,
    id: string,
    context?: Pick<RequestContext, 'adminScope'>,
  ): Promise<Thing> => (await lookup(id, viewerOf(me), context?.adminScope ?? false)) ?? fail('not_found')
  return {
    find,
    mine: async (me: Caller, id: string, context: RequestContext): Promise<Thing> =>
      requireOwner(noun, await find(me, id, context), me, context),
  }
}

/** The ids of the users with these names. Unknown names are rejected all at once; the owner is left out. */
async function collaboratorIds(
  db: Queryable,
  usernames: string[],
  ownerId: string,
  field: string,
): Promise<string[]> {
  const found = await usersNamed(db, usernames)
  const unknown = usernames.filter((name) => !found.some(({ username }) => username === name))
  if (unknown.length > 0) fail('bad_input', { fields: { [field]: `No user named ${unknown.join(', ')}` } })
  return found.map(({ id }) => id).filter((id) => id !== ownerId)
}

/**
 * Sets the collaborators of a thing on behalf of its current owner. Locks the thing, so that the second of two
 * concurrent changes sees the result of the first, and the audit trail and the people who lose access are correct.
 */
export async function changeShares(
  tx: Transaction,
  table: SharedTable,
  id: string,
  usernames: string[],
  field = 'collaborators',
) {
  const { lockShares, setCollaborators } = shared(table)
  const { owner, collaborators: before } = (await lockShares(tx, id)) ?? fail('not_found')
  const ids = await collaboratorIds(tx, usernames, owner, field)
  await setCollaborators(tx, id, ids)
  const had = before.map((one) => one.id)
  return {
    /** Everyone who has, gains or loses access, including the owner. */
    people: [...new Set([owner, ...had, ...ids])],
    removed: had.filter((one) => !ids.includes(one)),
    /** For the audit trail. */
    changes: changesOf(
      { collaborators: before.map(({ username }) => username).toSorted() },
      { collaborators: usernames.toSorted() },
    ),
  }
}

type ShareOptions<Thing, View> = {
  mine(me: Caller, id: string, context: RequestContext): Promise<Thing>
  view(me: Caller, id: string): Promise<View>
  /** Notifies everyone who has, gains or loses access, and any other users concerned. */
  notify?(tx: Transaction, thing: Thing, who: { people: string[]; removed: string[] }): Promise<void>
}
type ShareActivity = Omit<ActivityInput<'collaborators changed' | 'app shared'>, 'changes'>

/**
 * Makes the function that changes the collaborators of things of one kind. `activity` is how the change is recorded.
 */
export function makeShareRecorded<Thing extends Owned, View>(
  table: SharedTable,
  activity: (thing: Thing, usernames: string[]) => ShareActivity,
  { mine, view, notify }: ShareOptions<Thing, View>,
) {
  return async (me: Caller, id: string, usernames: string[], context: RequestContext): Promise<View> => {
    const thing = await mine(me, id, context)
    await context.transaction(async (tx) => {
      const { people, removed, changes } = await changeShares(tx, table, id, usernames)
      await record(tx, me, context, { ...activity(thing, usernames), changes })
      if (notify) await notify(tx, thing, { people, removed })
      else await notifyPeople(tx, changedOf(table), people)
    })
    return view(me, id)
  }
}

/** The same, with the record that everything except running apps has. */
export const makeShare = <Thing extends Owned & { id: string; name: string }, View>(
  table: Exclude<SharedTable, 'app_sessions'>,
  options: ShareOptions<Thing, View>,
) =>
  makeShareRecorded(
    table,
    (thing: Thing, usernames) => ({
      action: 'collaborators changed',
      subject: subjectOf(kinds[table], thing),
      detail: usernames.join(', '),
    }),
    options,
  )

/** Users, other than admins, who can see a resource. */
export const peopleOf = ({ owner_id, collaborators }: Shared): string[] => [
  owner_id,
  ...collaborators.map(({ id }) => id),
]

/** Whether a user owns a thing or is one of its collaborators. */
export const belongsTo = (thing: Shared, userId: string): boolean => peopleOf(thing).includes(userId)

/** Notifies these users, and admins, who see everything. */
export const notifyPeople = (tx: Queryable, changed: Changed, people: string[]): Promise<void> =>
  notifyRooms(tx, [roleRoom('admin'), ...new Set(people.map(userRoom))], changed)
