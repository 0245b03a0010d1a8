import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Size } from './screen'

export type ToScreen =
  /** `answers`: whether queries in this text are answered here, because no browser receives them. */
  | { kind: 'write'; text: string; answers: boolean }
  | { kind: 'resize'; size: Size }
  | { kind: 'show'; request: number }
export type FromScreen =
  | { kind: 'answer'; text: string }
  | { kind: 'read'; length: number }
  | { kind: 'screen'; request: number; text: string }

/** The length of unread text beyond which the shell is paused. */
const BEHIND_MAX = 64 * 1024
/** If the thread makes no progress for this long, the screen is dropped and the shell continues. */
const STUCK_MS = 30_000
/** How long a user waits for the screen. The output of a hostile program may take minutes; its screen is dropped. */
const SHOWN_WITHIN_MS = 10_000
/** Far more than a screen and its scrollback need; limits the memory that a hostile program can cause. */
const HEAP_MB = 64
const LOST = 'The previous screen could not be restored.\r\n'

type Events = {
  /** Receives the terminal's reply to a program's query. */
  answer(text: string): void
  /** Receives whether the shell must be paused. */
  behind(is: boolean): void
}
export type KeptScreen = ReturnType<typeof keepScreen>

/** Keeps the screen of one terminal in a thread that reads everything the shell writes (screen-worker.ts). */
export function keepScreen(
  size: Size,
  events: Events,
  /** Path of the built worker; by default next to the server's bundle. */
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
  /** Starts the watchdog timer if the thread has work to do and the timer is not running. */
  const watch = (): void => {
    if (unread > 0 || waiting.size > 0) stuck ??= setTimeout(close, STUCK_MS).unref()
  }
  function setUnread(now: number): void {
    unread = now
    // Hysteresis: the shell resumes when half of the limit is reached, so that it is not paused for every piece.
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
  // If it runs out of memory or the terminal library fails, the shell continues without a kept screen.
  worker.on('error', close)

  return {
    write(text: string, answers: boolean): void {
      if (isLost) return
      setUnread(unread + text.length)
      send({ kind: 'write', text, answers })
    },
    resize: (to: Size): void => send({ kind: 'resize', size: to }),
    /** Returns text that draws the screen, after everything written so far, on a new terminal. */
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
