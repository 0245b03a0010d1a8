import { auth } from '@flotilla/contract/people/auth'
import { CONFIRMATION_MS } from '@flotilla/contract/limits'
import { useId } from 'react'
import { sendForm } from '../../account/send-form'
import { call } from '../../api/call'
import { passwordPrompt } from '../../api/confirmation'
import { PasswordField } from '../../forms/fields/fields'
import { Form, SubmitButton } from '../../forms/form'
import { useZodForm } from '../../forms/use-zod-form'
import { currentUser } from '../../session/store'
import { Button } from '../../ui/button/button'
import { Dialog } from '../../ui/overlay/dialog'

/** Opens over whatever made the call, and lets that call continue. */
export default function ConfirmPassword() {
  const formId = useId()
  const form = useZodForm(auth.confirm.body, { defaults: { password: '' } })
  const cancel = () => passwordPrompt.get()?.cancel()
  return (
    <Dialog
      open
      onClose={cancel}
      size="s"
      title="Confirm your password"
      description={`This action requires your password. You won’t be asked again for ${CONFIRMATION_MS / 60_000} minutes.`}
      footer={
        <>
          <Button onClick={cancel}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            Confirm
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={(body) =>
          sendForm(
            form,
            call(auth.confirm, { body }).then(() => passwordPrompt.get()?.confirmed()),
          )
        }
      >
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={currentUser()?.username ?? ''}
          readOnly
          hidden
        />
        <PasswordField
          form={form}
          name="password"
          label="Password"
          autoComplete="current-password"
          data-autofocus=""
        />
      </Form>
    </Dialog>
  )
}
