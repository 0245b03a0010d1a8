import { StringDecoder } from 'node:string_decoder'
import { mayAccess } from '@flotilla/contract/access'
import { terminals as calls } from '@flotilla/contract/clusters/terminal'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { AuditSource, SessionCaller } from '../../http/caller'
import { newId } from '../../ids'
import { bounded } from '../../transports/terminal-size'
import type { Terminal } from '../../transports/transport'
import { record, subjectOf } from '../activities/activities'
import type { ClusterAccess } from '../clusters/open'
import { makeStreams } from '../streams/streams'
import { keepScreen, type KeptScreen } from './kept-screen'
import type { Size } from './screen'

/** How long a terminal and its screen are kept after the connection was lost. */
const KEPT_MS = 2 * 60_000
const PER_PERSON = 8
const CHECK_MS = 30_000

export type Listener = {
  /** Returns a promise if the browser cannot keep up; nothing more is read until it resolves. */
  data(text: string): Promise<void> | undefined
  /** Replaces the browser's content with the current screen. */
  screen(text: string): void
  end(reason: string): void
}
type Open = {
  id: string
  me: SessionCaller
  clusterId: string
  terminal: Terminal
  screen: KeptScreen
  /** Shared by the browser and the kept screen, so that both show the same even for invalid UTF-8. */
  decoder: StringDecoder
  listener: Listener | null
  /** The output since the listener was attached, while it waits for the screen, which is sent first. */
  held: string[] | null
  /** The receivers that cannot keep up; the shell is paused while there are any. */
  slow: Set<Listener | KeptScreen>
  leaving: NodeJS.Timeout | undefined
  /** Set when it is registered with the streams. */
  release: (() => void) | undefined
}

/** The user of a session with their current roles, or null if the session has ended. */
type CallerOf = (sessionId: string) => Promise<SessionCaller | null>

export type Terminals = ReturnType<typeof makeTerminals>
/** Shells on head nodes, each as the user's own account and no longer than their session. */
export function makeTerminals(
  db: Database,
  clusterAccess: ClusterAccess,
  callerOf: CallerOf,
  system: AuditSource,
) {
  const open = new Map<string, Open>()
  /** The number of terminals being opened, by user. */
  const opening = new Map<string, number>()

  const find = (me: SessionCaller, id: string): Open => {
    const found = open.get(id)
    const isMine = found?.me.id === me.id && found.me.sessionId === me.sessionId
    return found && isMine ? found : fail('not_found', { message: 'This terminal has ended' })
  }
  const end = (entry: Open, reason: string): void => {
    if (!open.delete(entry.id)) return
    clearTimeout(entry.leaving)
    entry.release?.()
    entry.listener?.end(reason)
    entry.held = null
    entry.screen.close()
    entry.terminal.kill().catch(() => {})
  }
  /** Why this user, with their current roles, may no longer have the terminal, or null. */
  const endReason = async (entry: Open): Promise<string | null> => {
    const me = await callerOf(entry.me.sessionId)
    if (!me) return 'The session has ended'
    entry.me = me
    if (!mayAccess(calls.open.access, me.role)) return 'Your role no longer allows this'
    return clusterAccess.lostReason(me, entry.clusterId)
  }
  const streams = makeStreams({ everyMs: CHECK_MS, peopleOf: ({ me }: Open) => [me.id], endReason, end })

  const setSlow = (entry: Open, who: Listener | KeptScreen, is: boolean): void => {
    const waited = entry.slow.size > 0
    if (is) entry.slow.add(who)
    else entry.slow.delete(who)
    const waits = entry.slow.size > 0
    if (waits && !waited) entry.terminal.pause()
    if (waited && !waits) entry.terminal.resume()
  }
  const send = (entry: Open, listener: Listener, text: string): void => {
    const slow = listener.data(text)
    if (!slow) return
    setSlow(entry, listener, true)
    void slow.finally(() => setSlow(entry, listener, false))
  }
  const detach = (entry: Open): void => {
    if (entry.listener) setSlow(entry, entry.listener, false)
    entry.listener = null
    entry.held = null
  }
  const receive = (entry: Open, data: Buffer): void => {
    const text = entry.decoder.write(data)
    if (!text) return
    // A query is answered once: by the browser that receives it, or else by the kept screen.
    entry.screen.write(text, entry.listener === null)
    if (entry.held) entry.held.push(text)
    else if (entry.listener) send(entry, entry.listener, text)
  }
  /** Sends the current screen and then the output written in the meantime. */
  const attach = async (entry: Open, listener: Listener, size: Size): Promise<void> => {
    const held: string[] = []
    entry.listener = listener
    entry.held = held
    resizeOne(entry, size)
    const text = await entry.screen.show()
    // The terminal was ended, left or taken over in the meantime.
    if (entry.held !== held) return
    entry.held = null
    listener.screen(text)
    for (const piece of held) send(entry, listener, piece)
  }
  const resizeOne = (entry: Open, size: Size): void => {
    entry.screen.resize(bounded(size))
    entry.terminal.resize(size)
  }

  const openOne = async (
    me: SessionCaller,
    clusterId: string,
    size: Size,
    listener: Listener,
  ): Promise<string> => {
    const { connection, cluster } = await clusterAccess.forPerson(me, clusterId)
    const terminal = await clusterAccess.withUserFacingErrors(connection.transport.shell(size))
    const screen = keepScreen(bounded(size), {
      answer: (text) => terminal.write(text),
      behind: (is) => setSlow(entry, screen, is),
    })
    const entry: Open = {
      id: newId(),
      me,
      clusterId,
      terminal,
      screen,
      listener,
      held: null,
      slow: new Set(),
      decoder: new StringDecoder('utf8'),
      leaving: undefined,
      release: undefined,
    }
    open.set(entry.id, entry)
    entry.release = streams.hold(entry)
    terminal.onData((data) => receive(entry, data))
    terminal.onExit(({ error }) => end(entry, error?.message ?? 'The shell has ended'))
    await db
      .transaction((tx) =>
        record(
          tx,
          me,
          { ...system, sessionId: me.sessionId },
          {
            action: 'terminal opened',
            subject: subjectOf('cluster', cluster),
            detail: `as ${connection.account}`,
          },
        ),
      )
      .catch((error: unknown) => {
        // A shell that is not in the audit trail must not stay open.
        end(entry, 'The terminal was closed because it could not be recorded in the audit trail. Try again.')
        throw error
      })
    // Checked again, since changes may have been announced before the terminal was registered.
    void streams.check([entry])
    return entry.id
  }

  return {
    async start(me: SessionCaller, clusterId: string, size: Size, listener: Listener): Promise<string> {
      const count =
        [...open.values()].filter((entry) => entry.me.id === me.id).length + (opening.get(me.id) ?? 0)
      if (count >= PER_PERSON)
        fail('wrong_state', { message: `You have ${PER_PERSON} terminals open. Close one first.` })
      opening.set(me.id, (opening.get(me.id) ?? 0) + 1)
      try {
        return await openOne(me, clusterId, size, listener)
      } finally {
        const left = (opening.get(me.id) ?? 1) - 1
        if (left > 0) opening.set(me.id, left)
        else opening.delete(me.id)
      }
    },
    /** Resumes after a lost connection or in another window. The screen is sent first; resolves when it was sent. */
    resume(me: SessionCaller, id: string, size: Size, listener: Listener): Promise<void> {
      const entry = find(me, id)
      clearTimeout(entry.leaving)
      if (entry.listener !== listener) entry.listener?.end('This terminal was opened in another window')
      detach(entry)
      return attach(entry, listener, size)
    },
    write: (me: SessionCaller, id: string, data: string) => find(me, id).terminal.write(data),
    resize: (me: SessionCaller, id: string, size: Size) => resizeOne(find(me, id), size),
    close: (me: SessionCaller, id: string) => end(find(me, id), 'Closed'),
    /** Called when the browser disconnects. It may return unless its session has ended, or was already replaced. */
    leave(id: string, listener: Listener, sessionOver: boolean): void {
      const entry = open.get(id)
      if (!entry || entry.listener !== listener) return
      detach(entry)
      if (sessionOver) end(entry, 'The session has ended')
      else entry.leaving = setTimeout(() => end(entry, 'Closed after no one reconnected'), KEPT_MS).unref()
    },
    recheck: streams.recheck,
    closeAll: () => streams.stop((entry) => end(entry, 'The console is stopping')),
  }
}
