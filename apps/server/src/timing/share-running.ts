/** Many calls for the same at the same moment are one: those that come while it runs get its answer. */
export function shareRunning<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key) => {
    const promise = running.get(key) ?? work(key).finally(() => running.delete(key))
    running.set(key, promise)
    return promise
  }
}
