/** Deduplicates concurrent calls: those made while one is running get its result. */
export function shareRunning<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key) => {
    const promise = running.get(key) ?? work(key).finally(() => running.delete(key))
    running.set(key, promise)
    return promise
  }
}
