import type { Database } from '../../../db/database'
import { isPermanent } from '../../../fail'
import type { Caller } from '../../../http/caller'
import type { ClusterAccess } from '../../clusters/open'
import type { Sessions } from '../../sessions/sessions'
import { makeStreams } from '../../streams/streams'
import { personOf } from '../../../db/people'
import * as store from '../store'
import type { Entry } from '../sessions/tickets'
import { isSubmitted, type RunningSession } from '../sessions/view'

/** How long a decision is cached. Events that end access invalidate it at once. */
const CACHE_MS = 1000
const CHECK_MS = 2000

type Options = { db: Database; sessions: Sessions; clusterAccess: ClusterAccess; now: () => number }
type Decision = { at: number; allowed: Promise<RunningSession | null> }
type Open = { entry: Entry; end(): void }

export type Gate = ReturnType<typeof makeGate>
/** Decides who may use an app, rechecks it while they do, and ends open connections when they lose access. */
export function makeGate({ db, sessions, clusterAccess, now }: Options) {
  const decisions = new Map<string, Decision>()
  const keyOf = ({ session, login }: Entry) => `${session} ${login}`

  /**
   * Returns the owner if this user is a collaborator. Collaborators have the owner's rights as long as the owner has
   * them.
   */
  const sessionOwner = async (row: RunningSession, me: Caller): Promise<Caller | null> => {
    if (!row.collaborators.some(({ id }) => id === me.id)) return null
    const owner = await personOf(db.kysely, row.owner_id)
    return owner && (owner.end_time === null || owner.end_time.getTime() > now()) ? owner : null
  }

  const decide = async ({ session, user, login }: Entry): Promise<RunningSession | null> => {
    const [me, row] = await Promise.all([sessions.caller(login), store.findAnySession(db.kysely, session)])
    if (!me || me.id !== user || !row || !isSubmitted(row) || row.ended_at !== null) return null
    const owner = row.owner_id === me.id ? me : await sessionOwner(row, me)
    if (!owner?.role.some((role) => row.allowed_roles.includes(role))) return null
    try {
      await clusterAccess.outputCluster(owner, row)
      return row
    } catch (error) {
      if (isPermanent(error)) return null
      throw error
    }
  }

  const allowed = (entry: Entry): Promise<RunningSession | null> => {
    const key = keyOf(entry)
    const known = decisions.get(key)
    if (known && Math.abs(now() - known.at) < CACHE_MS) return known.allowed
    if (decisions.size > 10_000) decisions.clear()
    const made: Decision = { at: now(), allowed: decide(entry) }
    decisions.set(key, made)
    made.allowed.catch(() => decisions.get(key) === made && decisions.delete(key))
    return made.allowed
  }

  const streams = makeStreams({
    everyMs: CHECK_MS,
    peopleOf: ({ entry }: Open) => [entry.user],
    endReason: async ({ entry }) => ((await allowed(entry)) ? null : 'Access to the app has ended'),
    end: ({ end }) => end(),
  })

  return {
    allowed,
    /**
     * Registers a connection that stays open until it ends or access to it is revoked. Call the returned function when
     * it has ended.
     */
    hold: (entry: Entry, end: () => void) => streams.hold({ entry, end }),
    recheck(userId?: string): void {
      decisions.clear()
      streams.recheck(userId)
    },
    /** Called when the session has ended or a user has lost access to it. */
    forget(session: string): void {
      for (const key of decisions.keys()) if (key.startsWith(`${session} `)) decisions.delete(key)
      void streams.check(streams.all().filter(({ entry }) => entry.session === session))
    },
    inUse: (session: string): boolean => streams.all().some(({ entry }) => entry.session === session),
    stop: () => streams.stop(({ end }) => end()),
  }
}
