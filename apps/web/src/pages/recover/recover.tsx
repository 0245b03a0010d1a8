import { users } from '@flotilla/contract/people/users'
import { useEffect, useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../api/call'
import { GuestPage, GuestPageHeading } from '../../guest/guest-page'
import { paths, usePathParam } from '../../paths'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { ButtonLink } from '../../ui/button/link'
import { Spinner } from '../../ui/feedback/spinner'
import { NewPasswordForm } from './new-password-form'

type Token =
  | { state: 'loading' }
  | { state: 'good'; username: string }
  /** `again`: whether a retry with the same token makes sense, because the server was unreachable. */
  | { state: 'bad'; message: string; again: boolean }

export default function RecoverPage() {
  const token = usePathParam('token') ?? ''
  const [checked, setChecked] = useState<Token>({ state: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    call(users.verifyResetToken, { body: { token } }, { signal: abort.signal }).then(
      ({ username }) => setChecked({ state: 'good', username }),
      (error: unknown) => {
        if (abort.signal.aborted) return
        const { message, status } = toApiError(error)
        setChecked({ state: 'bad', message, again: status === 0 || status >= 429 })
      },
    )
    return () => abort.abort()
  }, [token, attempt])

  return (
    <GuestPage>
      {checked.state === 'loading' && (
        <>
          <GuestPageHeading title="Set a new password" />
          <div className="flex justify-center py-10">
            <Spinner label="Checking the link" />
          </div>
        </>
      )}
      {checked.state === 'good' && (
        <>
          <GuestPageHeading title="Set a new password">
            Choose a new password for <span className="font-mono text-ink-1">{checked.username}</span>. Saving
            it logs this account out everywhere.
          </GuestPageHeading>
          <NewPasswordForm
            token={token}
            username={checked.username}
            onRefused={(message) => setChecked({ state: 'bad', message, again: false })}
          />
        </>
      )}
      {checked.state === 'bad' && (
        <>
          <GuestPageHeading title="Set a new password" />
          <div className="flex flex-col gap-5">
            <Callout tone="red" title={checked.message} alert>
              {checked.again
                ? 'Your link may still be valid. Try again in a moment.'
                : 'Each link works once and expires after an hour.'}
            </Callout>
            {checked.again && (
              <Button
                size="l"
                variant="primary"
                onClick={() => {
                  setChecked({ state: 'loading' })
                  setAttempt(attempt + 1)
                }}
              >
                Try again
              </Button>
            )}
            <ButtonLink
              to={paths.login()}
              search={{ form: 'recovery' }}
              size="l"
              variant={checked.again ? 'secondary' : 'primary'}
            >
              Get a new link
            </ButtonLink>
          </div>
        </>
      )}
    </GuestPage>
  )
}
