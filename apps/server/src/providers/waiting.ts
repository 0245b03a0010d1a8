import { countText } from '@flotilla/contract/count-text'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachOf } from '../timing/workers'

/** Bare metal machines take 15 minutes to power off. */
const LIMIT_MS = 25 * 60_000
const POLL_MS = 5000
const AT_ONCE = 16

export type Until = (what: string, isSo: () => Promise<boolean>, signal: AbortSignal) => Promise<void>

/** Polls until the condition holds, or times out. */
export const makeUntil =
  (pollMs = POLL_MS, limitMs = LIMIT_MS): Until =>
  async (what, isSo, signal) => {
    for (const end = Date.now() + limitMs; ;) {
      signal.throwIfAborted()
      if (await isSo()) return
      if (Date.now() > end)
        throw new Error(
          `Timed out after ${countText(Math.round(limitMs / 60_000), 'minute')} waiting until ${what}`,
        )
      await sleep(pollMs, undefined, { signal })
    }
  }

/** The caller's signal combined with a timeout. */
export const withLimit = (signal: AbortSignal, limitMs = LIMIT_MS): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(limitMs)])

/**
 * Runs `work` for each item, several at a time. All items are tried even if one fails; then the first failure is
 * thrown.
 */
export async function forEach<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  await eachOf(items, AT_ONCE, (item) => work(item).catch((error: unknown) => failures.push(error)))
  if (failures.length > 0) throw failures[0]
}

/** The result, or undefined if the cloud reports that the resource does not exist. */
export async function unlessNotFound<T>(
  work: Promise<T>,
  isNotFound: (error: unknown) => boolean,
): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
