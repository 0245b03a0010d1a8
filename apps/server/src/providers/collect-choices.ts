import {
  ACCOUNT_CHOICES_MAX,
  matchesSearch,
  type AccountChoice,
  type AccountChoices,
} from '@flotilla/contract/clouds/account-choices'
import { fail } from '../fail'
import type { AccountList } from './account-lists'

/** Someone waits for it in a dialog, and can type instead. */
const TIMEOUT_MS = 15_000
/** What a cloud can send before it is enough, in pages with or without anything in them. */
const PAGES_MAX = 100
const LOOKED_AT_MAX = 20_000
/** The longest ids are those of Azure. */
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

/** Of what the account has, what matches a search: up to as many as a list offers, within the time that one waits. */
export async function collectChoices(
  cloud: string,
  list: AccountList | undefined,
  search: string,
  timeoutMs = TIMEOUT_MS,
): Promise<AccountChoices> {
  const found = new Map<string, AccountChoice>()
  let [pages, seen, more] = [0, 0, true]
  const late = AbortSignal.timeout(timeoutMs)

  const collect = async () => {
    for await (const page of list?.pages(late) ?? []) {
      pages++
      for (const choice of page) {
        seen++
        if (choice.id === '' || choice.id.length > ID_MAX || !matchesSearch(choice, search)) continue
        if (found.size >= ACCOUNT_CHOICES_MAX) return
        found.set(`${choice.id}\n${choice.about}`, cleaned(choice))
      }
      if (late.aborted || pages >= PAGES_MAX || seen >= LOOKED_AT_MAX) return
    }
    more = false
  }
  // Not every cloud's library stops when it is told to.
  const tooLate = new Promise<never>((_resolve, reject) => {
    late.addEventListener('abort', () => reject(new Error('no response')), { once: true })
  })
  try {
    await Promise.race([collect(), tooLate])
  } catch (error) {
    const note = list?.noteOn?.(error)
    if (note) return { choices: [], more: false, note }
    if (!late.aborted) throw error
    if (pages === 0)
      fail('cloud_unavailable', {
        message: `${cloud} did not respond within ${timeoutMs / 1000} seconds. Try again later.`,
        extras: { part: cloud },
      })
  }
  return { choices: [...found.values()].toSorted(byName), more }
}
