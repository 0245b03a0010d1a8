import { messages } from '@flotilla/contract/messages'
import { Password } from '@flotilla/contract/people/account-fields'
import { users, type User } from '@flotilla/contract/people/users'
import * as z from 'zod/mini'
import { useApiMutation } from '../api/query'
import { PasswordField } from '../forms/fields/fields'
import { Form, SubmitButton } from '../forms/form'
import { useZodForm } from '../forms/use-zod-form'
import { repeated, samePassword } from '../forms/password/new-password'
import { PasswordRules } from '../forms/password/password-rules'
import { logout } from '../login/session'
import { Callout } from '../ui/feedback/callout'
import { Card } from '../ui/layout/card'
import { notices } from '../ui/feedback/notices-store'
import { sendForm } from './send-form'

const PasswordFields = z.object({ currentPassword: Password, ...repeated }).check(samePassword)

export function PasswordForm({ user }: { user: User }) {
  const form = useZodForm(PasswordFields, {
    defaults: { currentPassword: '', password: '', confirmPassword: '' },
  })
  const change = useApiMutation(users.changePassword, {
    onSuccess: () => {
      notices.success(messages.passwordUpdated)
      logout()
    },
  })
  if (user.authType === 'ldap') {
    return (
      <Card title="Password">
        <p className="text-body text-ink-2">
          You log in through an LDAP directory. Change your password there.
        </p>
      </Card>
    )
  }
  return (
    <Card title="Password">
      <Form
        form={form}
        onSubmit={({ currentPassword, password }) =>
          sendForm(form, change.mutateAsync({ body: { currentPassword, password } }))
        }
      >
        <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
        <PasswordField
          form={form}
          name="currentPassword"
          label="Current password"
          autoComplete="current-password"
        />
        <PasswordField form={form} name="password" label="New password" autoComplete="new-password" />
        <PasswordRules password={form.watch('password')} />
        <PasswordField
          form={form}
          name="confirmPassword"
          label="Confirm password"
          autoComplete="new-password"
        />
        <Callout tone="amber">
          Changing your password ends all your sessions, including this one, and revokes your access tokens.
          Log in again with the new password.
        </Callout>
        <div>
          <SubmitButton form={form} requireValid>
            Change password
          </SubmitButton>
        </div>
      </Form>
    </Card>
  )
}
