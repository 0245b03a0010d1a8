import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than the work takes on a server that is not overloaded. */
const ANSWER_MS = 150

/** Answers no sooner for a name that no one has than for one that someone has: names cannot be found by the clock. */
export async function inConstantTime(work: Promise<void>): Promise<void> {
  await Promise.all([work, sleep(ANSWER_MS)])
}
