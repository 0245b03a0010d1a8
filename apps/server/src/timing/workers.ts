/**
 * Works on at most `atOnce` items at a time. After a failure or an abort it starts no more items; it ends when those in
 * progress have ended, and throws the first failure. A caller that passes an iterator can drain it to skip the rest.
 */
export async function eachOf<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  const failures: unknown[] = []
  const next = () => (failures.length > 0 || signal?.aborted ? undefined : waiting.next())
  const worker = async (): Promise<void> => {
    for (let one = next(); one && !one.done; one = next())
      try {
        await work(one.value)
      } catch (error) {
        failures.push(error)
      }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
}
