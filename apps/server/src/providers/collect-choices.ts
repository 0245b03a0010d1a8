import {
  ACCOUNT_CHOICES_MAX,
  matchesSearch,
  type AccountChoice,
  type AccountChoices,
} from '@flotilla/contract/clouds/account-choices'
import { fail } from '../fail'
import type { AccountList } from './account-lists'

/** A user waits for it in a dialog, and can type a value instead. */
const TIMEOUT_MS = 15_000
/** The limits on what is read from a cloud, in pages (which may be empty) and items. */
const PAGES_MAX = 100
const ITEMS_MAX = 20_000
/** Azure has the longest ids. */
const ID_MAX = 1000
const TEXT_MAX = 200

const shortened = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text)
const cleaned = ({ id, name, about, within, ...rest }: AccountChoice): AccountChoice => ({
  ...rest,
  id,
  name: shortened(name),
  about: shortened(about),
  ...(within !== undefined && { within: within.slice(0, ID_MAX) }),
})

const byName = (a: AccountChoice, b: AccountChoice) =>
  (a.name || a.id).localeCompare(b.name || b.id, 'en', { numeric: true })

/** The account's choices that match a search: up to the maximum of a list, within the timeout. */
export async function collectChoices(
  cloud: string,
  list: AccountList | undefined,
  search: string,
  timeoutMs = TIMEOUT_MS,
): Promise<AccountChoices> {
  const found = new Map<string, AccountChoice>()
  let [pages, seen, more] = [0, 0, true]
  const timeout = AbortSignal.timeout(timeoutMs)

  const collect = async () => {
    for await (const page of list?.pages(timeout) ?? []) {
      pages++
      for (const choice of page) {
        seen++
        if (choice.id === '' || choice.id.length > ID_MAX || !matchesSearch(choice, search)) continue
        if (found.size >= ACCOUNT_CHOICES_MAX) return
        found.set(`${choice.id}\n${choice.about}`, cleaned(choice))
      }
      if (timeout.aborted || pages >= PAGES_MAX || seen >= ITEMS_MAX) return
    }
    more = false
  }
  // Not every cloud's library stops on abort.
  const timedOut = new Promise<never>((_resolve, reject) => {
    timeout.addEventListener('abort', () => reject(new Error('no response')), { once: true })
  })
  try {
    await Promise.race([collect(), timedOut])
  } catch (error) {
    const note = list?.noteOn?.(error)
    if (note) return { choices: [], more: false, note }
    if (!timeout.aborted) throw error
    if (pages === 0)
      fail('cloud_unavailable', {
        message: `${cloud} did not respond within ${timeoutMs / 1000} seconds. Try again later.`,
        extras: { part: cloud },
      })
  }
  return { choices: [...found.values()].toSorted(byName), more }
}
