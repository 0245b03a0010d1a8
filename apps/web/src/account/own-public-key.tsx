import { users } from '@flotilla/contract/people/users'
import { useApiQuery } from '../api/query'
import { Async } from '../ui/feedback/async'
import { SkeletonText } from '../ui/feedback/skeleton'
import { PublicKey } from '../ui/text/public-key'

/** The user's own public key. */
export function OwnPublicKey() {
  const key = useApiQuery(users.publicKey, {})
  return (
    <Async data={key} skeleton={<SkeletonText lines={2} />}>
      {({ publicKey }) => <PublicKey text={publicKey} />}
    </Async>
  )
}
