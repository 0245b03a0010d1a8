import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for something that another process or a broken link brings about; the test's own time limit bounds it. */
export async function until<T>(ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  // Longer and longer: what is waited for needs the machine more than the question does.
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 250)) {
    const answer = await ask()
    if (answer) return answer
    await sleep(wait)
  }
}
