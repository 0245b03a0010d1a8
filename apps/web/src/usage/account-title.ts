import { account } from '@flotilla/contract/site/usage'
import { withUsername } from '../ui/text/person-title'
import { useApiQuery } from '../api/query'
import { rangeInput, type Range } from './range'

/** Who is behind an account; the list of accounts, which most people come from, has the names. */
export function useAccountTitle(userAccount: string, range: Range): string {
  const accounts = useApiQuery(account.list, rangeInput(range), { keepPrevious: true })
  return withUsername(accounts.data?.find((row) => row.userAccount === userAccount)?.name, userAccount)
}
