import { messages } from '@flotilla/contract/messages'
import { NewPassword } from '@flotilla/contract/people/account-fields'
import { users, type User } from '@flotilla/contract/people/users'
import { useId } from 'react'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { personTitle } from '../../../ui/text/person-title'
import { useApiMutation } from '../../../api/query'
import { PasswordField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { PasswordRules } from '../../../forms/password/password-rules'
import { useZodForm } from '../../../forms/use-zod-form'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'

const PasswordFields = z.object({ password: NewPassword })

/** Sets a user's password. The admin enters it only once, and can make it visible to pass it on. */
export function PasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const formId = useId()
  const form = useZodForm(PasswordFields, { defaults: { password: '' } })
  const change = useApiMutation(users.changePassword, {
    admin: true,
    success: messages.passwordUpdated,
    onSuccess: onClose,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Change password for ${personTitle(user)}`}
      description="Their sessions end and their access tokens are revoked immediately."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId} requireValid>
            Change password
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={({ password }) => sendForm(form, change.mutateAsync({ body: { id: user.id, password } }))}
      >
        <PasswordField form={form} name="password" label="New password" autoComplete="new-password" />
        <PasswordRules password={form.watch('password')} />
      </Form>
    </Dialog>
  )
}
