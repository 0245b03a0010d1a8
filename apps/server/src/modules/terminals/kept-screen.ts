import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Size } from './screen'

export type ToScreen =
  /** `answers` is whether queries in this text are answered here, because no browser gets to see them. */
  | { kind: 'write'; text: string; answers: boolean }
  | { kind: 'resize'; size: Size }
  | { kind: 'show'; request: number }
export type FromScreen =
  | { kind: 'answer'; text: string }
  | { kind: 'read'; length: number }
  | { kind: 'screen'; request: number; text: string }

/** So much may wait to be read before the shell has to wait. */
const BEHIND_MAX = 64 * 1024
/** A thread that reads nothing for this long never will: the screen is dropped, the shell continues. */
const STUCK_MS = 30_000
/** A person waits for the screen this long. What a hostile program wrote may take minutes to read: it loses its screen. */
const SHOWN_WITHIN_MS = 10_000
/** Far more than a screen and its scrollback take; what a hostile program makes of them ends at this. */
const HEAP_MB = 64
const LOST = 'The previous screen could not be restored.\r\n'

type Events = {
  /** What the terminal replies to a program's query. */
  answer(text: string): void
  /** Whether the shell has to wait. */
  behind(is: boolean): void
}
export type KeptScreen = ReturnType<typeof keepScreen>

/** The screen of one terminal, held by a thread that reads everything the shell writes (screen-worker.ts). */
export function keepScreen(
  size: Size,
  events: Events,
  /** The built worker; beside the server's own bundle unless given. */
  file = path.join(import.meta.dirname, 'screen-worker.js'),
) {
  const worker = new Worker(file, {
    workerData: size,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 4 },
  })
  const waiting = new Map<number, (text: string) => void>()
  let requests = 0
  let unread = 0
  let isBehind = false
  let isLost = false
  let stuck: NodeJS.Timeout | undefined

  const close = (): void => {
    isLost = true
    clearTimeout(stuck)
    for (const resolve of waiting.values()) resolve(LOST)
    waiting.clear()
    worker.terminate().catch(() => {})
    setUnread(0)
  }
  /** Begins to wait for a sign of life, unless nothing is asked of the thread or it is waited for already. */
  const watch = (): void => {
    if (unread > 0 || waiting.size > 0) stuck ??= setTimeout(close, STUCK_MS).unref()
  }
  function setUnread(now: number): void {
    unread = now
    // Goes on when half of it is read, so that it does not stop at every piece.
    const is = isBehind ? unread > BEHIND_MAX / 2 : unread > BEHIND_MAX
    if (is === isBehind) return
    isBehind = is
    events.behind(is)
  }
  const send = (message: ToScreen): void => {
    if (isLost) return
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(message)
    watch()
  }

  worker.unref()
  worker.on('message', (message: FromScreen) => {
    if (isLost) return
    if (message.kind === 'answer') events.answer(message.text)
    if (message.kind === 'read') setUnread(unread - message.length)
    if (message.kind === 'screen') {
      waiting.get(message.request)?.(message.text)
      waiting.delete(message.request)
    }
    clearTimeout(stuck)
    stuck = undefined
    watch()
  })
  // Out of memory, or a defect of the terminal library: the shell goes on without it.
  worker.on('error', close)

  return {
    write(text: string, answers: boolean): void {
      if (isLost) return
      setUnread(unread + text.length)
      send({ kind: 'write', text, answers })
    },
    resize: (to: Size): void => send({ kind: 'resize', size: to }),
    /** Draws on a new terminal what this one shows after everything written so far. */
    show(): Promise<string> {
      if (isLost) return Promise.resolve(LOST)
      requests += 1
      const request = requests
      const late = setTimeout(close, SHOWN_WITHIN_MS).unref()
      const shown = new Promise<string>((resolve) => {
        waiting.set(request, resolve)
        send({ kind: 'show', request })
      })
      return shown.finally(() => clearTimeout(late))
    },
    close,
  }
}
