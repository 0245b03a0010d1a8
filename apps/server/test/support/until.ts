import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a result that another process or connection causes; the timeout of the test limits the wait. */
export async function until<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  // The interval grows, to leave the machine's time to the work that is waited for.
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 250)) {
    const answer = await check()
    if (answer) return answer
    await sleep(wait)
  }
}
