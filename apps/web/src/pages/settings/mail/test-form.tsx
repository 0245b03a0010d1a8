import { mail } from '@flotilla/contract/site/mail'
import { Send } from 'lucide-react'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { useUser } from '../../../session/user'
import { TestSteps } from '../../../ui/feedback/test-steps'

export function TestForm() {
  const own = { to: useUser().email }
  // The first account has an email address that no mail server accepts.
  const defaults = mail.test.body.safeParse(own).success ? own : { to: '' }
  const form = useZodForm(mail.test.body, { defaults })
  const test = useApiMutation(mail.test)
  return (
    <Form form={form} onSubmit={(body) => sendForm(form, test.mutateAsync({ body }))}>
      <div className="flex flex-wrap items-start gap-3">
        <TextField form={form} name="to" label="Recipient" type="email" className="min-w-60 flex-1" />
        <SubmitButton form={form} icon={Send} variant="secondary" className="sm:mt-6">
          Send test email
        </SubmitButton>
      </div>
      <TestSteps steps={test.data?.steps} busy={test.isPending} />
    </Form>
  )
}
