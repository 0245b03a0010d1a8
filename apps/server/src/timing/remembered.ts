/** How long what was read counts as current. */
const CURRENT_MS = 1000

/**
 * A value of the database that almost every request needs. It is read at most once a second, and while the database cannot be
 * reached the last value counts. The object stays the same while its content does.
 */
export function remember<T>(load: () => Promise<T>, now: () => number) {
  let known: { text: string; value: T } | undefined
  let read: { at: number; done: Promise<T> } | undefined
  const again = async (): Promise<T> => {
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
      // A clock may be set back.
      if (!read || Math.abs(now() - read.at) >= CURRENT_MS) read = { at: now(), done: again() }
      return read.done.catch((error: unknown) => {
        read = undefined
        throw error
      })
    },
    /** After a change. */
    forget: (): void => void (read = undefined),
  }
}
