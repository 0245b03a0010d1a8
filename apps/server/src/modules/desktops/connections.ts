import type { WebSocket } from 'ws'
import { mayAccess } from '@flotilla/contract/access'
import {
  DESKTOP_CLOSE,
  DESKTOP_VIEWERS_MAX,
  type DesktopHandshake,
  type DesktopMode,
} from '@flotilla/contract/desktops/desktops'
import type { Database, Queryable } from '../../db/database'
import type { AuditSource, SessionCaller } from '../../http/caller'
import { refusalText } from '../../http/socket-bind'
import { newId } from '../../ids'
import { record } from '../activities/activities'
import type { ClusterAccess } from '../clusters/open'
import { makeStreams } from '../streams/streams'
import { bridge } from './bridge'
import type { DesktopLink } from './host'
import * as store from './store'
import type { StoredDesktop } from './store'
import { DesktopGone } from './streams'
import type { Tickets } from './tickets'

/** How often a server updates its connections in the database and checks whether their users still have access. */
const CHECK_MS = 10_000

type Open = {
  id: string
  me: SessionCaller
  desktop: StoredDesktop
  mode: DesktopMode
  socket: WebSocket
  activeAt: number | null
  /** Until then, a missing row does not mean that the viewer was removed. */
  isListed: boolean
}
type Options = {
  db: Database
  access: ClusterAccess
  callerOf(sessionId: string): Promise<SessionCaller | null>
  tickets: Tickets
  connect(desktop: StoredDesktop): Promise<DesktopLink>
  /** Whether this user may watch or control another user's desktop. */
  mayWatch(me: SessionCaller, desktop: StoredDesktop): Promise<boolean>
  /** The password that the desktop's owner must enter in the viewer, or null. */
  passwordOf(desktop: StoredDesktop): Promise<string | null>
  notify(db: Queryable, desktop: StoredDesktop): Promise<void>
  /** Called when the desktop may have ended: checks it and removes its record if it has. */
  onLost(desktop: StoredDesktop): Promise<void>
  system: AuditSource
  now: () => number
}

/** Browsers connected to desktops through this server. */
export function makeDesktopConnections(options: Options) {
  const { db, access, tickets, callerOf, mayWatch, notify, now } = options

  const close = ({ socket }: Open, reason: string, code: number = DESKTOP_CLOSE.ended): void =>
    socket.close(code, reason)

  /** Why this user may no longer be connected, or null. */
  const endReason = async (entry: Open): Promise<string | null> => {
    const [me, [desktop]] = await Promise.all([
      callerOf(entry.me.sessionId),
      store.find(db.kysely, { id: entry.desktop.id }),
    ])
    if (!me) return 'Your session has ended'
    entry.me = me
    if (!desktop || desktop.state === 'ending') return 'The desktop has ended'
    const viewers = await store.viewersOf(db.kysely, [desktop.id], new Date(0))
    if (entry.isListed && !viewers.some(({ id }) => id === entry.id))
      return 'You were disconnected from this desktop'
    if (me.id !== desktop.user_id)
      return (await mayWatch(me, desktop)) ? null : 'You may no longer watch this desktop'
    if (!mayAccess('userOrParticipant', me.role)) return 'Your role no longer allows this'
    return access.lostReason(me, desktop.cluster_id)
  }
  const streams = makeStreams({
    everyMs: CHECK_MS,
    peopleOf: ({ me, desktop }: Open) => [me.id, desktop.user_id],
    endReason,
    end: (entry, reason) => close(entry, reason),
  })

  const tick = async (): Promise<void> => {
    const all = streams.all()
    if (all.length === 0) return
    const at = new Date(now())
    await store.touchViewers(
      db.kysely,
      all.map(({ id }) => id),
      at,
    )
    for (const entry of all) {
      const active = entry.activeAt === null ? {} : { last_activity_at: new Date(entry.activeAt) }
      entry.activeAt = null
      await store.update(db.kysely, entry.desktop.id, { last_seen_at: at, ...active })
    }
  }
  const ticking = setInterval(() => void tick().catch(() => undefined), CHECK_MS).unref()

  const begin = async (entry: Open): Promise<void> => {
    const { id, me, desktop, mode } = entry
    const at = new Date(now())
    await db.transaction(async (tx) => {
      await store.insertViewer(tx, {
        id,
        desktop_id: desktop.id,
        user_id: me.id,
        mode,
        since: at,
        seen_at: at,
      })
      await store.update(tx, desktop.id, { last_seen_at: at })
      if (me.id !== desktop.user_id)
        await record(
          tx,
          me,
          { ...options.system, sessionId: me.sessionId },
          {
            action: mode === 'view' ? 'desktop watched' : 'desktop controlled',
            subject: { kind: 'cluster', id: desktop.cluster_id, name: desktop.cluster_name },
            detail: `of ${desktop.username}`,
          },
        )
      await notify(tx, desktop)
    })
  }
  const finish = async ({ id, desktop, activeAt }: Open): Promise<void> => {
    const active = activeAt === null ? {} : { last_activity_at: new Date(activeAt) }
    await db.transaction(async (tx) => {
      await store.removeViewer(tx, id, desktop.id)
      await store.update(tx, desktop.id, { last_seen_at: new Date(now()), ...active })
      await notify(tx, desktop)
    })
  }

  /** The user and the desktop of a ticket, or the reason why it is rejected. */
  const admit = async (ticket: string): Promise<Omit<Open, 'socket'> | string> => {
    const used = await tickets.take(ticket)
    if (!used) return 'This ticket has expired or was used already'
    const me = await callerOf(used.session_id)
    const [desktop] = await store.find(db.kysely, { id: used.desktop_id })
    if (me?.id !== used.user_id) return 'Your session has ended'
    if (desktop?.state !== 'running') return 'The desktop has ended'
    const isOwner = desktop.user_id === me.id
    if (!isOwner && !(await mayWatch(me, desktop))) return 'You may not watch this desktop'
    if (isOwner) await access.forPerson(me, desktop.cluster_id)
    const mine = streams.all().filter((entry) => entry.desktop.id === desktop.id)
    if (mine.length >= DESKTOP_VIEWERS_MAX) return 'Too many windows show this desktop. Close one first.'
    return { id: newId(), me, desktop, mode: used.mode, activeAt: null, isListed: false }
  }

  const sendHandshake = (socket: WebSocket, handshake: DesktopHandshake): void =>
    socket.send(JSON.stringify(handshake))
  const refuse = (socket: WebSocket, message: string): void => {
    sendHandshake(socket, { ok: false, message })
    socket.close(DESKTOP_CLOSE.ended, 'refused')
  }

  const serve = async (entry: Open): Promise<void> => {
    const { socket, desktop, me, mode } = entry
    const isOwner = me.id === desktop.user_id
    const release = streams.hold(entry)
    let link: DesktopLink | undefined
    try {
      // The owner is notified before anything is shown.
      await begin(entry)
      entry.isListed = true
      // Checked again, since a change of rights may have been announced before this connection was registered.
      void streams.check([entry])
      link = await options.connect(desktop)
      sendHandshake(socket, { ok: true, mode })
      const reason = await bridge(socket, link, {
        mode,
        password: isOwner ? await options.passwordOf(desktop) : null,
        onActivity: () => (entry.activeAt = now()),
      })
      // A desktop that is being ended may be gone before its connections are closed.
      const over = await endReason(entry).catch(() => null)
      if (over === null) close(entry, reason, DESKTOP_CLOSE.interrupted)
      else close(entry, over)
      if (link.stream.isClosedByDesktop()) await options.onLost(desktop)
    } catch (error) {
      refuse(socket, error instanceof DesktopGone ? error.message : refusalText(error))
      if (error instanceof DesktopGone) await options.onLost(desktop)
    } finally {
      link?.close()
      release()
      await finish(entry).catch(() => undefined)
    }
  }

  return {
    async accept(ticket: string, socket: WebSocket): Promise<void> {
      try {
        const admitted = await admit(ticket)
        if (typeof admitted === 'string') return refuse(socket, admitted)
        await serve({ ...admitted, socket })
      } catch (error) {
        refuse(socket, refusalText(error))
      }
    },
    recheck: streams.recheck,
    stop(): void {
      clearInterval(ticking)
      streams.stop((entry) => close(entry, 'The console is restarting', DESKTOP_CLOSE.interrupted))
    },
  }
}
