import { auth, Registration } from '@flotilla/contract/people/auth'
import { DEFAULT_LICENSE, MULTI_USER_LICENSE } from '@flotilla/contract/site/license'
import { messages } from '@flotilla/contract/messages'
import type { FormEvent } from 'react'
import * as z from 'zod/mini'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../api/call'
import { repeated, samePassword } from '../../forms/password/new-password'
import { PasswordRules } from '../../forms/password/password-rules'
import { GuestField } from '../../guest/guest-field'
import { bySchema } from '../../guest/by-schema'
import { useFields } from '../../guest/use-fields'
import { paths, useGo } from '../../paths'
import { startSessionWithToken } from '../../login/session'
import { showError } from '../../api/errors'
import { Button } from '../../ui/button/button'
import { notices } from '../../ui/feedback/notices-store'

const RegisterFields = z.extend(Registration, repeated).check(samePassword)
const empty = { username: '', firstName: '', lastName: '', email: '', password: '', confirmPassword: '' }

export function RegisterForm({ busy, onBusy }: { busy: boolean; onBusy: (busy: boolean) => void }) {
  const form = useFields(bySchema(RegisterFields), empty)
  const go = useGo()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || busy) return
    const { confirmPassword: _, ...body } = form.data
    onBusy(true)
    try {
      const { token, licenseType } = await call(auth.register, { body })
      if (licenseType === MULTI_USER_LICENSE) return go(paths.verify(), { username: body.username })
      if (licenseType === DEFAULT_LICENSE && token) return await startSessionWithToken(token)
      notices.success(messages.userCreated)
      go(paths.login())
    } catch (error) {
      const failed = toApiError(error)
      const taken = failed.status === 406 && failed.reason === 'duplicateEntry'
      if (taken) showError(failed)
      else form.refuse(Object.keys(failed.fields).length > 0 ? failed.fields : { username: failed.message })
    }
    onBusy(false)
  }

  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
      <GuestField
        label="Username"
        hint="Letters and digits, starting with a letter."
        field={form.field('username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <GuestField label="First name" field={form.field('firstName')} autoComplete="given-name" />
        <GuestField label="Last name" field={form.field('lastName')} autoComplete="family-name" />
      </div>
      <GuestField label="Email" type="email" field={form.field('email')} autoComplete="email" />
      <GuestField
        label="Password"
        type="password"
        field={form.field('password')}
        autoComplete="new-password"
      />
      <PasswordRules password={form.values.password} />
      <GuestField
        label="Confirm password"
        type="password"
        field={form.field('confirmPassword')}
        autoComplete="new-password"
      />
      <Button type="submit" variant="primary" size="l" className="mt-1" disabled={!form.data} busy={busy}>
        Create account
      </Button>
    </form>
  )
}
