/** Limits concurrency to `atOnce`; the others wait for their turn in order of arrival. */
export function limit(atOnce: number): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let busy = 0
  const waiting: (() => void)[] = []

  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted()
    if (busy < atOnce) {
      busy += 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', give)
        resolve()
      }
      const give = () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal?.reason)
      }
      waiting.push(go)
      signal?.addEventListener('abort', give, { once: true })
    })
  }

  return async (work, signal) => {
    await turn(signal)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // Hands the slot directly to the next in line, so that a newcomer cannot take it.
      if (next) next()
      else busy -= 1
    }
  }
}
