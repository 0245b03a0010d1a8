import { useSyncExternalStore } from 'react'

/* One clock for every time on the page, running only while somebody looks at one. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const listener of listeners) listener()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Something that depends on the time, looked at every second; only a change of it draws anything again. */
export const useTicking = <Value extends string | number | boolean>(at: (now: number) => Value): Value =>
  useSyncExternalStore(subscribe, () => at(Date.now()))

/** The present in milliseconds, rounded down to the step: what asks for minutes is not drawn again every second. */
export const useNow = (stepMs = 1000): number => useTicking((now) => Math.floor(now / stepMs) * stepMs)
