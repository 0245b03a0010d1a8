import { loginProblems } from '@flotilla/contract/login-rules'
import { messages } from '@flotilla/contract/messages'
import { useState, type FormEvent } from 'react'
import { toApiError, type ApiError } from '../../api/api-error'
import { call } from '../../api/call'
import { GuestField } from '../../guest/guest-field'
import { useFields } from '../../guest/use-fields'
import { paths } from '../../paths'
import { startSession } from '../../session/session'
import { LoadingScreen } from '../../shell/loading-screen'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { TextLink } from '../../ui/link'

interface Props {
  username: string
  userKey: string | undefined
  onUsername: (username: string) => void
}

const check = (values: { username: string; password: string }) => {
  const problems = loginProblems(values)
  const data = { ...values, username: values.username.trim().toLowerCase() }
  return { data: Object.keys(problems).length === 0 ? data : null, problems }
}
/** The schemas of the contract are fetched while the name is being typed: the page itself does without. */
const loadContract = () => import('@flotilla/contract/auth')

export function LocalForm({ username, userKey, onUsername }: Props) {
  const form = useFields(check, { username, password: '' })
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || busy) return
    setBusy(true)
    setFailure(null)
    try {
      // The router takes it from here: it knows where this person wanted to go.
      const { auth } = await loadContract()
      startSession(await call(auth.login, { body: { ...form.data, userKey } }))
    } catch (error) {
      const failed = toApiError(error)
      setFailure(failed)
      if (failed.status === 401)
        form.refuse({ username: messages.unauthorized, password: messages.unauthorized })
      else form.refuse(failed.fields)
      setBusy(false)
    }
  }

  const nameField = form.field('username')
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
      {busy && <LoadingScreen message={messages.authenticatingUser} overlay />}
      {failure && <LoginFailure failure={failure} username={form.values.username} />}
      <GuestField
        label="Username"
        field={{
          ...nameField,
          onChange: (event) => {
            void loadContract()
            nameField.onChange(event)
            onUsername(event.currentTarget.value)
          },
        }}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <GuestField
        label="Password"
        type="password"
        field={form.field('password')}
        autoComplete="current-password"
      />
      <Button type="submit" variant="primary" size="l" className="mt-1" disabled={!form.data} busy={busy}>
        Log in
      </Button>
    </form>
  )
}

/** A refused login says no more than that; anything else is the server's own code and text. */
function LoginFailure({ failure, username }: { failure: ApiError; username: string }) {
  if (failure.status === 401) return <Callout tone="red" title={messages.authenticationError} alert />
  return (
    <Callout tone="red" title={`${failure.code}: ${failure.message}`} alert>
      {failure.code === 'not_verified' && (
        <TextLink to={paths.verify()} search={{ username }}>
          Enter the code from the mail
        </TextLink>
      )}
    </Callout>
  )
}
