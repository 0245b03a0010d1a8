import { auth } from '@flotilla/contract/people/auth'
import { messages } from '@flotilla/contract/messages'
import type { User } from '@flotilla/contract/people/users'
import { useApiMutation } from '../api/query'
import { TextField } from '../forms/fields'
import { Form, SubmitButton } from '../forms/form'
import { useZodForm } from '../forms/use-zod-form'
import { logout } from '../session/session'
import { Card } from '../ui/card'
import { notices } from '../ui/notices-store'
import { sendForm } from './send-form'

/** One's own names and address. The token carries who one is, so a change means logging in again. */
export function AccountForm({ user }: { user: User }) {
  const { firstName, lastName, email } = user
  const form = useZodForm(auth.update.body, { defaults: { firstName, lastName, email } })
  const update = useApiMutation(auth.update, {
    onSuccess: ({ email: saved, verified }) => {
      notices.success(
        verified
          ? messages.ownUserUpdated
          : `We mailed a code to ${saved}: log in again to confirm the address`,
      )
      logout()
    },
  })
  const fromDirectory =
    user.authType === 'ldap' ? 'Your names and address come from the LDAP directory' : null
  return (
    <Card title="Names and email" description="Log in again to see changes.">
      <Form form={form} onSubmit={(body) => sendForm(form, update.mutateAsync({ body }))}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField form={form} name="firstName" label="First name" autoComplete="given-name" />
          <TextField form={form} name="lastName" label="Last name" autoComplete="family-name" />
        </div>
        <TextField form={form} name="email" label="Email" type="email" autoComplete="email" />
        <div>
          <SubmitButton form={form} disabledReason={fromDirectory}>
            Save
          </SubmitButton>
        </div>
      </Form>
    </Card>
  )
}
