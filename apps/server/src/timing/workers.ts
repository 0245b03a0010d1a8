/**
 * Works on so many items at once. After a failure, and once the signal is aborted, no more are begun; it ends, with the first
 * failure, when those in progress have. An iterator that is given can be drained to skip the rest.
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
