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

/** Who owns a thing, and with whom it is shared. */
type Owned = { owner_id: string; owner: string }
type Shared = { owner_id: string; collaborators: readonly { id: string }[] }

/** A kind of thing that users own: a removed user's things go to a new owner. */
export type Ownable = {
  kind: string
  /** What its new owner's pages fetch again. */
  changed: Changed
  list(db: Transaction, ownerId: string): Promise<{ id: string; name: string }[]>
  transferOwnership(tx: Transaction, from: string, to: string): Promise<void>
}

/** What the things in a table are called, in the order in which an admin reads what a user owns. */
const kinds = {
  clusters: 'cluster',
  stacks: 'stack',
  jobs: 'job',
  apps: 'app',
  credentials: 'credential',
  courses: 'course',
  trainings: 'workshop',
} as const satisfies Record<HandedOnTable, SubjectKind>

/** What is announced when the things in a table change. */
const changedOf = (table: OwnedTable): Changed =>
  table === 'jobs' ? 'queuedjobs' : table === 'app_sessions' ? 'apps' : table

// Border: `keys` forgets the names.
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

/** Whether a thing's page offers to change it. */
export const isMine = (me: Pick<Caller, 'id' | 'role'>, { owner_id }: Pick<Owned, 'owner_id'>): boolean =>
  owner_id === me.id || isAdmin(me)

/** The thing, if this user may change it: their own, or any for an admin who asked for admin scope. */
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

/** One page of the things that a user sees, newest first. */
export const visiblePage = <Thing extends Parameters<typeof byCreation>[0]>(
  db: Queryable,
  me: Pick<Caller, 'id' | 'role'>,
  page: Page,
  list: (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) => Promise<Thing[]>,
) => readPage(page, (limit, after) => list(db, viewerOf(me), limit, after), byCreation)

/** What looks for things of one kind: what a user may not see does not exist as far as they can tell. */
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

/** The users with these names. Unknown names are refused, all of them at once; the owner needs no share. */
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
 * Sets with whom a thing is shared, on behalf of its current owner. It locks the thing, so of two concurrent changes the
 * second sees the result of the first, and the audit trail and the people who lose access are right.
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
    /** Those who have, gain or lose access: the owner too. */
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
  /** Notifies the people who have, gain or lose access, and anyone else who should know. */
  notify?(tx: Transaction, thing: Thing, who: { people: string[]; removed: string[] }): Promise<void>
}
type ShareActivity = Omit<ActivityInput<'collaborators changed' | 'app shared'>, 'changes'>

/** What changes with whom things of one kind are shared, by those who may. `activity` is how it is recorded. */
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

/** The same, recorded as it is for everything but running apps. */
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

/** Whether a user owns a thing or it is shared with them. */
export const belongsTo = (thing: Shared, userId: string): boolean => peopleOf(thing).includes(userId)

/** Notifies these users, and admins, who see everything. */
export const notifyPeople = (tx: Queryable, changed: Changed, people: string[]): Promise<void> =>
  notifyRooms(tx, [roleRoom('admin'), ...new Set(people.map(userRoom))], changed)
