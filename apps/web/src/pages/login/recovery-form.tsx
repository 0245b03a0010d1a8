import { messages } from '@flotilla/contract/messages'
import { users } from '@flotilla/contract/people/users'
import { useState, type FormEvent } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../api/call'
import { GuestField } from '../../guest/guest-field'
import { bySchema } from '../../guest/by-schema'
import { useFields } from '../../guest/use-fields'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { notices } from '../../ui/feedback/notices-store'

interface Props {
  username: string
  onUsername: (username: string) => void
  onBack: () => void
}

/** The login form's password recovery: it takes only a username, and the server emails a link. */
export default function RecoveryForm({ username, onUsername, onBack }: Props) {
  const form = useFields(bySchema(users.recoverPassword.body), { username })
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || busy) return
    setBusy(true)
    setFailure(null)
    try {
      await call(users.recoverPassword, { body: form.data })
      onUsername(form.values.username)
      notices.success(messages.recoveryEmailSent)
      onBack()
    } catch (error) {
      const failed = toApiError(error)
      form.refuse(failed.fields)
      setFailure(failed.message)
      setBusy(false)
    }
  }

  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
      <p className="text-body text-ink-2">
        Enter your username, and we’ll email you a link to set a new password. It works once and expires after
        an hour.
      </p>
      {failure && <Callout tone="red" title={failure} alert />}
      <GuestField
        label="Username"
        field={form.field('username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
      <Button type="submit" variant="primary" size="l" className="mt-1" disabled={!form.data} busy={busy}>
        SUBMIT
      </Button>
      <Button variant="ghost" className="self-center" onClick={onBack}>
        Go Back
      </Button>
    </form>
  )
}
