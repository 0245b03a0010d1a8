import { account } from '@flotilla/contract/site/usage'
import { useApiQuery } from '../api/query'
import { rangeInput, type Range } from './range'

/** 'Ada Lovelace (ada)'; the account alone if no one here is known to be behind it. */
export const accountTitle = (userAccount: string, name: string | undefined): string =>
  name ? `${name} (${userAccount})` : userAccount

/** The list of accounts, which most come from, has the names. */
export function useAccountTitle(userAccount: string, range: Range): string {
  const accounts = useApiQuery(account.list, rangeInput(range), { keepPrevious: true })
  return accountTitle(userAccount, accounts.data?.find((row) => row.userAccount === userAccount)?.name)
}
