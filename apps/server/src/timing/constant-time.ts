import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than the work takes on a server that is not overloaded. */
const ANSWER_MS = 150

/** Takes as long for a name that exists as for one that does not, so that response times do not reveal names. */
export async function inConstantTime(work: Promise<void>): Promise<void> {
  await Promise.all([work, sleep(ANSWER_MS)])
}
