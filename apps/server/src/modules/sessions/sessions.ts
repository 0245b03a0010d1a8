import type { Session } from '@flotilla/contract/people/auth'
import { CONFIRMATION_MS, SESSION_LIFE_MS } from '@flotilla/contract/limits'
import { fail, Failure } from '../../fail'
import type { Database, Transaction } from '../../db/database'
import type { RequestContext, SessionCaller } from '../../http/caller'
import { newId } from '../../ids'
import * as store from './store'
import type { Tokens } from './tokens'

/** How often activity is written at most. With a shorter idle timer it is written four times per timeout. */
const TOUCH_MS = 15_000
const touchEvery = (idle: number): number => (idle > 0 ? Math.min(TOUCH_MS, idle / 4) : TOUCH_MS)
/**
 * How long a session lasts without activity. Includes the interval of writing, so that activity not written yet does
 * not end it early.
 */
const idleLimit = (idle: number): number => idle + touchEvery(idle)
/** How long a session is cached, which requires that changes are received immediately. */
const CACHE_MS = 1000

type Known = {
  caller: SessionCaller
  lastActiveAt: number
  expiresAt: number
  confirmedAt: Date | null
  readAt: number
}
type Options = {
  db: Database
  tokens: Tokens
  /** Seconds without activity before a session ends; 0 means never. */
  idleTimer: () => Promise<number>
  /** Whether this server is currently notified of sessions that others end. */
  receivesChanges: () => boolean
  now: () => number
}

export type Sessions = ReturnType<typeof makeSessions>
export function makeSessions({ db, tokens, idleTimer, receivesChanges, now }: Options) {
  const known = new Map<string, Known>()
  // Counts invalidations: the result of a query that began before one is not cached, because it may be outdated.
  let generation = 0

  let idleKnown = { ms: 0, readAt: Number.NEGATIVE_INFINITY }
  /** The operator may change the idle timer at any time; it is read once a second, not with every request. */
  const idleMs = async (): Promise<number> => {
    if (Math.abs(now() - idleKnown.readAt) >= CACHE_MS)
      idleKnown = { ms: (await idleTimer()) * 1000, readAt: now() }
    return idleKnown.ms
  }

  const lookUp = async (id: string): Promise<Known | null> => {
    const cached = known.get(id)
    if (cached && receivesChanges() && now() - cached.readAt < CACHE_MS) return cached
    const began = generation
    const row = await store.find(db.kysely, id)
    if (!row) return null
    const found: Known = {
      caller: { id: row.userId, username: row.username, role: row.role, sessionId: row.id },
      lastActiveAt: row.lastActiveAt.getTime(),
      expiresAt: row.expiresAt.getTime(),
      confirmedAt: row.confirmedAt,
      readAt: now(),
    }
    if (began === generation) known.set(id, found)
    return found
  }

  const isRecent = (confirmedAt: Date | null | undefined): boolean =>
    !!confirmedAt && now() - confirmedAt.getTime() < CONFIRMATION_MS

  const forget = (userId: string): void => {
    generation++
    for (const [id, { caller }] of known) if (caller.id === userId) known.delete(id)
  }

  /** Returns the session with this id. Ends it if it has expired. */
  const alive = async (id: string): Promise<Known | Failure> => {
    const session = await lookUp(id)
    if (!session) return new Failure('session_ended')
    const idle = await idleMs()
    const expired = session.expiresAt <= now() || (idle > 0 && now() - session.lastActiveAt > idleLimit(idle))
    if (!expired) return session
    await store.remove(db.kysely, id, session.caller.id)
    forget(session.caller.id)
    return new Failure('session_expired')
  }

  const touch = async (id: string, session: Known): Promise<void> => {
    const idle = await idleMs()
    if (now() - session.lastActiveAt < touchEvery(idle)) return
    session.lastActiveAt = now()
    await store.touch(db.kysely, id, new Date(now()))
  }

  return {
    issue: tokens.issue,
    /** Opens a session for a user who has just entered their password. */
    async open(
      tx: Transaction,
      userId: string,
      context: Pick<RequestContext, 'address' | 'browser'>,
    ): Promise<string> {
      const at = now()
      const id = newId()
      await store.insert(tx, {
        id,
        user_id: userId,
        created_at: new Date(at),
        last_active_at: new Date(at),
        expires_at: new Date(at + SESSION_LIFE_MS),
        address: context.address,
        browser: context.browser.slice(0, 300),
        confirmed_at: new Date(at),
      })
      return id
    },
    async authenticate(
      token: string,
      { repeat, fresh = false }: { repeat: boolean; fresh?: boolean | undefined },
    ): Promise<SessionCaller> {
      const claims = await tokens.read(token)
      if (!claims) return fail('session_ended')
      if (fresh) known.delete(claims.sid)
      const session = await alive(claims.sid)
      if (session instanceof Failure) throw session
      if (session.caller.id !== claims.sub) return fail('session_ended')
      if (!repeat) await touch(claims.sid, session)
      return session.caller
    },
    /**
     * Returns the user of a session, or null if it has ended. For what stays open longer than a token is valid, such as
     * a socket.
     */
    async caller(sessionId: string): Promise<SessionCaller | null> {
      const session = await alive(sessionId)
      return session instanceof Failure ? null : session.caller
    },
    /** Counts activity outside of the API, in an app that the user opened from the console. */
    async active(sessionId: string): Promise<void> {
      const session = await alive(sessionId)
      if (!(session instanceof Failure)) await touch(sessionId, session)
    },
    /** Records that the user confirmed their password. Returns until when that is valid. */
    async confirm(tx: Transaction, id: string): Promise<number> {
      await store.setConfirmed(tx, id, new Date(now()))
      return now() + CONFIRMATION_MS
    },
    /**
     * A cached confirmation is never revoked. Without one the database is checked, because another server may have
     * confirmed the password.
     */
    async requireConfirmed(id: string): Promise<void> {
      if (isRecent(known.get(id)?.confirmedAt)) return
      const { at } = (await store.confirmation(db.kysely, id)) ?? fail('session_ended')
      if (!isRecent(at)) fail('confirm_needed')
    },
    async list(me: SessionCaller): Promise<Session[]> {
      const rows = await store.listOf(db, me.id)
      return rows.map((row) => ({
        id: row.id,
        current: row.id === me.sessionId,
        createdAt: row.created_at.getTime(),
        lastActiveAt: row.last_active_at.getTime(),
        address: row.address,
        browser: row.browser,
      }))
    },
    /** Ends one of the user's own sessions, together with `also`. Returns whether there was such a session. */
    async end(
      me: SessionCaller,
      id: string,
      context: RequestContext,
      also?: (tx: Transaction) => Promise<void>,
    ): Promise<boolean> {
      const ended = await context.transaction(
        async (tx) => {
          await also?.(tx)
          return store.remove(tx, id, me.id)
        },
        { changing: me.id },
      )
      forget(me.id)
      return ended > 0
    },
    async endOthers(me: SessionCaller, context: RequestContext): Promise<number> {
      const ended = await context.transaction((tx) => store.removeAll(tx, me.id, me.sessionId), {
        changing: me.id,
      })
      forget(me.id)
      return ended
    },
    /** Ends every session of a user in the transaction that requires it. Call `forget` once that is committed. */
    endAll: (tx: Transaction, userId: string): Promise<number> => store.removeAll(tx, userId),
    forget,
    forgetAll(): void {
      generation++
      known.clear()
    },
    /** Ends expired sessions, so that open sockets are notified too. */
    async sweep(): Promise<void> {
      const idle = await idleMs()
      await store.removeEnded(db.kysely, new Date(now()), idle > 0 ? new Date(now() - idleLimit(idle)) : null)
    },
  }
}
