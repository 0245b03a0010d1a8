import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'
import type { Driver } from '../../../src/providers/provider'

/** Everything that an account offers for a field, or undefined if the field has no such list. */
export async function choicesOf(driver: Driver, field: string): Promise<AccountChoice[] | undefined> {
  const list = driver.choices?.[field]
  if (!list) return undefined
  const found: AccountChoice[] = []
  for await (const page of list.pages(new AbortController().signal)) found.push(...page)
  return found
}
