import { useEffect, useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'

export type Invitation =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'good'; userKey: string; username: string; firstName: string }
  | { state: 'bad'; message: string }

/** The user invited by the key in the URL. With an invalid key, the user can still log in without it. */
export function useInvitation(userKey: string | undefined): Invitation {
  const [invitation, setInvitation] = useState<Invitation>({ state: userKey ? 'loading' : 'none' })
  useEffect(() => {
    if (!userKey) return
    const abort = new AbortController()
    const load = async () => {
      const { fetchInvitation } = await import('./login-calls')
      return fetchInvitation(userKey, abort.signal)
    }
    load().then(
      (found) => setInvitation({ state: 'good', userKey, ...found }),
      (error: unknown) => {
        if (!abort.signal.aborted) setInvitation({ state: 'bad', message: toApiError(error).message })
      },
    )
    return () => abort.abort()
  }, [userKey])
  return invitation
}
