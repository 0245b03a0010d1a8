/** How long a value counts as current after it was read. */
const CURRENT_MS = 1000

/**
 * Caches a value of the database that almost every request needs. It is read at most once a second; while the database
 * is unavailable, the last value is returned. As long as the content does not change, neither does the object.
 */
export function remember<T>(load: () => Promise<T>, now: () => number) {
  let known: { text: string; value: T } | undefined
  let read: { at: number; done: Promise<T> } | undefined
  const reload = async (): Promise<T> => {
    try {
      const value = await load()
      const text = JSON.stringify(value)
      if (known?.text !== text) known = { text, value }
    } catch (error) {
      if (!known) throw error
    }
    return known.value
  }
  return {
    get(): Promise<T> {
      // The clock may have been set back.
      if (!read || Math.abs(now() - read.at) >= CURRENT_MS) read = { at: now(), done: reload() }
      return read.done.catch((error: unknown) => {
        read = undefined
        throw error
      })
    },
    /** Drops the cached value, after a change. */
    forget: (): void => void (read = undefined),
  }
}
