import { auth } from '@flotilla/contract/people/auth'
import { messages } from '@flotilla/contract/messages'
import type { User } from '@flotilla/contract/people/users'
import { useApiMutation } from '../api/query'
import { TextField } from '../forms/fields/fields'
import { Form, SubmitButton } from '../forms/form'
import { useZodForm } from '../forms/use-zod-form'
import { logout } from '../login/session'
import { Card } from '../ui/layout/card'
import { notices } from '../ui/feedback/notices-store'
import { sendForm } from './send-form'

/** The user's name and email. The token contains them, so a change requires logging in again. */
export function AccountForm({ user }: { user: User }) {
  const { firstName, lastName, email } = user
  const form = useZodForm(auth.update.body, { defaults: { firstName, lastName, email } })
  const update = useApiMutation(auth.update, {
    onSuccess: ({ email: saved, verified }) => {
      notices.success(
        verified
          ? messages.ownUserUpdated
          : `We emailed a code to ${saved}. Log in again to confirm the address.`,
      )
      logout()
    },
  })
  const fromDirectory = user.authType === 'ldap' ? 'Your name and email come from the LDAP directory' : null
  return (
    <Card title="Name and email" description="Saving a change logs you out.">
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
