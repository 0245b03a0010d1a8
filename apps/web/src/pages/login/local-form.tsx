import { loginProblems } from '@flotilla/contract/people/login-rules'
import { firstMessages } from '@flotilla/contract/first-messages'
import { Suspense, lazy, useState, type FormEvent } from 'react'
import { toApiError, type ApiError } from '@flotilla/client/api-error'
import { GuestField } from '../../guest/guest-field'
import { useFields } from '../../guest/use-fields'
import { LoadingScreen } from '../../shell/gates/loading-screen'
import { PlainButton } from '../../ui/button/plain-button'

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
const loadFailure = () => import('./login-failure')
const LoginFailure = lazy(loadFailure)
const loadCalls = () => import('./login-calls')

/** Preloads everything a login needs, including the error view, because the server may not respond later. */
const preload = () => void Promise.all([loadCalls(), loadFailure()]).catch(() => {})

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
      // The router then opens the page that the user wanted.
      const { logIn } = await loadCalls()
      await logIn({ ...form.data, userKey })
    } catch (error) {
      const failed = toApiError(error)
      setFailure(failed)
      if (failed.status === 401)
        form.refuse({ username: firstMessages.unauthorized, password: firstMessages.unauthorized })
      else form.refuse(failed.fields)
      setBusy(false)
    }
  }

  const nameField = form.field('username')
  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
      {busy && <LoadingScreen message={firstMessages.authenticatingUser} overlay />}
      {failure && (
        <Suspense>
          <LoginFailure failure={failure} username={form.values.username} />
        </Suspense>
      )}
      <GuestField
        label="Username"
        field={{
          ...nameField,
          onChange: (event) => {
            preload()
            nameField.onChange(event)
            onUsername(event.currentTarget.value)
          },
        }}
        autoComplete="username"
        autoCapitalize="none"
        // Must not take the focus from a tab that the user has just chosen with the keyboard.
        autoFocus={document.activeElement === document.body}
        spellCheck={false}
      />
      <GuestField
        label="Password"
        type="password"
        field={form.field('password')}
        autoComplete="current-password"
      />
      <PlainButton
        type="submit"
        variant="primary"
        size="l"
        className="mt-1"
        disabled={!form.data}
        busy={busy}
      >
        Log in
      </PlainButton>
    </form>
  )
}
