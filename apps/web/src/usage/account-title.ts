import { account } from '@flotilla/contract/site/usage'
import { withUsername } from '../ui/text/person-title'
import { useApiQuery } from '../api/query'
import { rangeInput, type Range } from './range'

/** The user behind an account. The name comes from the account list, which most users open first. */
export function useAccountTitle(userAccount: string, range: Range): string {
  const accounts = useApiQuery(account.list, rangeInput(range), { keepPrevious: true })
  return withUsername(accounts.data?.find((row) => row.userAccount === userAccount)?.name, userAccount)
}
