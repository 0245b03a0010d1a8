import { useSyncExternalStore } from 'react'

/* One clock for all times on the page, running only while something uses it. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const notify of listeners) notify()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A time-dependent value, checked every second; renders only when it changes. */
export const useTicking = <Value extends string | number | boolean>(at: (now: number) => Value): Value =>
  useSyncExternalStore(subscribe, () => at(Date.now()))

/**
 * The current time in milliseconds, rounded down to the step, so that something in minutes is not rendered every
 * second.
 */
export const useNow = (stepMs = 1000): number => useTicking((now) => Math.floor(now / stepMs) * stepMs)
