import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for something that another process or a broken link brings about; the test's own time limit bounds it. */
export async function until<T>(ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    await sleep(20)
  }
}
