import type { Database } from '../../db/database'
import { isPermanent } from '../../fail'
import type { Caller } from '../../http/caller'
import type { ClusterAccess } from '../clusters/open'
import type { Sessions } from '../sessions/sessions'
import { personOf } from '../../db/people'
import * as store from './store'
import type { Entry } from './tickets'
import { isSubmitted, type RunningSession } from './view'

/** How long a decision counts; what ends one for certain is noticed at once. */
const BELIEVE_MS = 1000
const CHECK_MS = 2000

type Options = { db: Database; sessions: Sessions; clusterAccess: ClusterAccess; now: () => number }
type Decision = { at: number; allowed: Promise<RunningSession | null> }
type Open = { entry: Entry; end(): void; at: number }

export type Gate = ReturnType<typeof makeGate>
/** Decides who may use an app, again and again for as long as they do, and ends what is open when they may not anymore. */
export function makeGate({ db, sessions, clusterAccess, now }: Options) {
  const decisions = new Map<string, Decision>()
  /**
   * In no order. As a Set, which makes a new table again and again as things come and go, it held requests long after they
   * had ended, and collecting them took a tenth of the time of each.
   */
  const open: Open[] = []
  const keyOf = ({ session, login }: Entry) => `${session} ${login}`

  /** The owner, if this person is a collaborator: a collaborator has the owner's rights, and only those that remain. */
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
    if (known && Math.abs(now() - known.at) < BELIEVE_MS) return known.allowed
    if (decisions.size > 10_000) decisions.clear()
    const made: Decision = { at: now(), allowed: decide(entry) }
    decisions.set(key, made)
    made.allowed.catch(() => decisions.get(key) === made && decisions.delete(key))
    return made.allowed
  }

  const check = async (ones: Open[]): Promise<void> => {
    for (const one of ones) {
      // A database that is away for a moment does not end what was allowed.
      const isAllowed = await allowed(one.entry).catch(() => one.entry)
      if (!isAllowed) one.end()
    }
  }
  const timer = setInterval(() => void check([...open]), CHECK_MS).unref()

  return {
    allowed,
    /** Registers something that stays open until it ends or access to it is revoked. Call the returned function when it has ended. */
    hold(entry: Entry, end: () => void): () => void {
      const one = { entry, end, at: open.length }
      open.push(one)
      return () => {
        const last = open.at(-1)
        if (!last || open[one.at] !== one) return
        open[one.at] = last
        last.at = one.at
        open.pop()
      }
    },
    /** Called when the session, roles or visible things of this user (or, if omitted, of any user) may have changed. */
    recheck(userId?: string): void {
      decisions.clear()
      void check(open.filter(({ entry }) => userId === undefined || entry.user === userId))
    },
    /** The session has ended, or someone lost it. */
    forget(session: string): void {
      for (const key of decisions.keys()) if (key.startsWith(`${session} `)) decisions.delete(key)
      void check(open.filter(({ entry }) => entry.session === session))
    },
    inUse: (session: string): boolean => open.some(({ entry }) => entry.session === session),
    stop(): void {
      clearInterval(timer)
      // Each removes itself from the list.
      for (const { end } of open.slice()) end()
    },
  }
}
