import { messages } from '@flotilla/contract/messages'
import { users } from '@flotilla/contract/people/users'
import { useState, type FormEvent } from 'react'
import * as z from 'zod/mini'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../api/call'
import { repeated, samePassword } from '../../forms/password/new-password'
import { PasswordRules } from '../../forms/password/password-rules'
import { GuestField } from '../../guest/guest-field'
import { bySchema } from '../../guest/by-schema'
import { useFields } from '../../guest/use-fields'
import { paths, useGo } from '../../paths'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { notices } from '../../ui/feedback/notices-store'

const NewPasswordFields = z.object(repeated).check(samePassword)

interface Props {
  token: string
  username: string
  /** Called if the token was used or expired while the form was open. */
  onRefused: (message: string) => void
}

export function NewPasswordForm({ token, username, onRefused }: Props) {
  const form = useFields(bySchema(NewPasswordFields), { password: '', confirmPassword: '' })
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const go = useGo()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || busy) return
    setBusy(true)
    setFailure(null)
    try {
      await call(users.resetPassword, { body: { token, password: form.data.password } })
      notices.success(messages.passwordReset)
      go(paths.login())
    } catch (error) {
      const failed = toApiError(error)
      if (failed.code === 'bad_reset_token') return onRefused(failed.message)
      form.refuse(failed.fields)
      setFailure(failed.message)
      setBusy(false)
    }
  }

  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
      {failure && <Callout tone="red" title={failure} alert />}
      {/* Password managers need a username field to store the new password for the right account. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <GuestField
        label="New password"
        type="password"
        field={form.field('password')}
        autoComplete="new-password"
        autoFocus
      />
      <PasswordRules password={form.values.password} />
      <GuestField
        label="Confirm password"
        type="password"
        field={form.field('confirmPassword')}
        autoComplete="new-password"
      />
      <Button type="submit" variant="primary" size="l" className="mt-1" disabled={!form.data} busy={busy}>
        Set password
      </Button>
    </form>
  )
}
