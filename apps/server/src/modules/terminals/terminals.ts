import { StringDecoder } from 'node:string_decoder'
import { mayAccess } from '@flotilla/contract/access'
import type { Database } from '../../db/database'
import { fail, Failure } from '../../fail'
import type { SessionCaller } from '../../http/caller'
import { newId } from '../../ids'
import type { Terminal } from '../../transports/transport'
import { record } from '../activities/activities'
import type { Reaching } from '../clusters/clusters'

/** A terminal outlives a lost connection by this time, with the last of what it wrote. */
const KEPT_MS = 2 * 60_000
const KEPT_BYTES = 64 * 1024
const PER_PERSON = 8
/** How often it is looked at whether the person may still be on the cluster. */
const CHECK_MS = 30_000

type Size = { cols: number; rows: number }
export type Listener = {
  /** A promise when the browser cannot keep up; nothing more is read until it resolves. */
  data(text: string): Promise<void> | undefined
  end(reason: string): void
}
type Open = {
  id: string
  me: SessionCaller
  clusterId: string
  terminal: Terminal
  recent: Buffer
  decoder: StringDecoder
  listener: Listener | null
  leaving: NodeJS.Timeout | undefined
  checking: NodeJS.Timeout | undefined
}

/** The person behind a session with the roles they have now, or null when it is over. */
type CallerOf = (sessionId: string) => Promise<SessionCaller | null>

/** Shells on head nodes, each as the person's own account and for as long as their session. */
export function makeTerminals(db: Database, reaching: Reaching, callerOf: CallerOf) {
  const open = new Map<string, Open>()
  /** Being opened. */
  const coming = new Map<string, number>()

  const find = (me: SessionCaller, id: string): Open => {
    const found = open.get(id)
    const isMine = found?.me.id === me.id && found.me.sessionId === me.sessionId
    return found && isMine ? found : fail('not_found', { message: 'This terminal has ended' })
  }
  const end = (entry: Open, reason: string): void => {
    if (!open.delete(entry.id)) return
    clearTimeout(entry.leaving)
    clearInterval(entry.checking)
    entry.listener?.end(reason)
    entry.terminal.kill().catch(() => {})
  }
  /** Why this person may not have it any more, with the roles they have now. */
  const whyOver = async (entry: Open): Promise<string | null> => {
    const me = await callerOf(entry.me.sessionId)
    if (!me) return 'The session is over'
    entry.me = me
    if (!mayAccess('user', me.role)) return 'Your role does not allow this any more'
    try {
      await reaching.forPerson(me, entry.clusterId)
      return null
    } catch (error) {
      // A head node that is away for a moment takes no right away.
      const isOver = error instanceof Failure && error.status !== 503
      return isOver ? 'You may not use this cluster any more' : null
    }
  }
  const check = async (entry: Open): Promise<void> => {
    const why = await whyOver(entry).catch(() => null)
    if (why !== null) end(entry, why)
  }

  const hear = (entry: Open, data: Buffer): void => {
    entry.recent = Buffer.concat([entry.recent, data]).subarray(-KEPT_BYTES)
    const slow = entry.listener?.data(entry.decoder.write(data))
    if (!slow) return
    entry.terminal.pause()
    void slow.finally(() => entry.terminal.resume())
  }

  const openOne = async (
    me: SessionCaller,
    clusterId: string,
    size: Size,
    listener: Listener,
  ): Promise<string> => {
    const { reach, cluster } = await reaching.forPerson(me, clusterId)
    const terminal = await reaching.refusing(reach.transport.shell(size))
    const entry: Open = {
      id: newId(),
      me,
      clusterId,
      terminal,
      listener,
      recent: Buffer.alloc(0),
      decoder: new StringDecoder('utf8'),
      leaving: undefined,
      checking: undefined,
    }
    entry.checking = setInterval(() => void check(entry), CHECK_MS).unref()
    open.set(entry.id, entry)
    terminal.onData((data) => hear(entry, data))
    terminal.onExit(({ error }) => end(entry, error?.message ?? 'The shell has ended'))
    const deed = {
      action: 'terminal opened',
      subject: `cluster ${cluster.name}`,
      detail: `as ${reach.account}`,
      clusterId,
    }
    await db
      .transaction((tx) => record(tx, me, null, deed))
      .catch((error: unknown) => {
        // No shell that nobody will know of.
        end(entry, 'It could not be recorded')
        throw error
      })
    // What changed while the shell was started was told before it could be found.
    void check(entry)
    return entry.id
  }

  return {
    async start(me: SessionCaller, clusterId: string, size: Size, listener: Listener): Promise<string> {
      const count =
        [...open.values()].filter((entry) => entry.me.id === me.id).length + (coming.get(me.id) ?? 0)
      if (count >= PER_PERSON)
        fail('wrong_state', { message: `You have ${PER_PERSON} terminals open: close one first` })
      coming.set(me.id, (coming.get(me.id) ?? 0) + 1)
      try {
        return await openOne(me, clusterId, size, listener)
      } finally {
        const left = (coming.get(me.id) ?? 1) - 1
        if (left > 0) coming.set(me.id, left)
        else coming.delete(me.id)
      }
    },
    /** After a lost connection: the last of what was written comes first. */
    resume(me: SessionCaller, id: string, size: Size, listener: Listener): void {
      const entry = find(me, id)
      clearTimeout(entry.leaving)
      if (entry.listener !== listener) entry.listener?.end('This terminal was opened in another window')
      entry.listener = listener
      entry.decoder = new StringDecoder('utf8')
      void listener.data(entry.recent.toString('utf8'))
      entry.terminal.resize(size)
    },
    write: (me: SessionCaller, id: string, data: string) => find(me, id).terminal.write(data),
    resize: (me: SessionCaller, id: string, size: Size) => find(me, id).terminal.resize(size),
    close: (me: SessionCaller, id: string) => end(find(me, id), 'Closed'),
    /** The browser went away; it may come back, unless its session is over. Another may have taken its place already. */
    leave(id: string, listener: Listener, sessionOver: boolean): void {
      const entry = open.get(id)
      if (!entry || entry.listener !== listener) return
      entry.listener = null
      if (sessionOver) end(entry, 'The session is over')
      else entry.leaving = setTimeout(() => end(entry, 'Nobody came back'), KEPT_MS).unref()
    },
    /** The session, the roles or the clusters of a person changed, or of anybody: what they lost ends now. */
    recheck(userId?: string): void {
      for (const entry of open.values()) if (userId === undefined || entry.me.id === userId) void check(entry)
    },
    closeAll(): void {
      for (const entry of open.values()) end(entry, 'The console is stopping')
    },
  }
}
