import { dashboard } from '@flotilla/contract/clusters/dashboard'
import { doctor } from '@flotilla/contract/site/doctor'
import { mail, type MailView } from '@flotilla/contract/site/mail'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { RadioField } from '../../../forms/fields/choice-fields'
import { NumberField, PasswordField, SelectField, TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm, type ZodForm } from '../../../forms/use-zod-form'
import { Callout } from '../../../ui/feedback/callout'
import type * as z from 'zod/mini'
import { changeOf, fieldsOf, MailFields } from './mail-fields'

const securities = [
  { value: 'starttls', label: 'STARTTLS (usually port 587)' },
  { value: 'tls', label: 'TLS (usually port 465)' },
  { value: 'none', label: 'None (only for a relay on this network)' },
]

export function MailForm({ current }: { current: MailView }) {
  const values = fieldsOf(current)
  const form = useZodForm(MailFields, { defaults: values, values })
  const save = useApiMutation(mail.set, {
    success: 'Mail settings saved',
    invalidates: [mail.view, doctor.view, dashboard.view],
    // Also clears the password, which is not shown again.
    onSuccess: (saved) => form.reset(fieldsOf(saved), { keepDirtyValues: false }),
  })
  return (
    <Form
      form={form}
      onSubmit={(given) => sendForm(form, save.mutateAsync({ body: changeOf(given, current) }))}
    >
      {current.setBy === null ? (
        <>
          <RadioField
            form={form}
            name="uses"
            label="Mail delivery"
            columns={2}
            options={[
              { value: 'server', label: 'A mail server', description: 'Over SMTP.' },
              {
                value: 'files',
                label: 'Files',
                description: 'In the server’s data folder. No one receives them.',
              },
            ]}
          />
          {form.watch('uses') === 'server' && <ServerFields form={form} hasPassword={current.hasPassword} />}
        </>
      ) : (
        <Callout tone="gray" title={`The mail server is set by ${current.setBy}`}>
          A variable in the server’s environment. Change it there and restart the server.
        </Callout>
      )}
      <TextField
        form={form}
        name="from"
        label="Sender address"
        type="email"
        optional
        placeholder={current.defaultFrom}
        hint="Most mail servers accept only addresses of their own domain."
      />
      <SubmitButton form={form} className="self-start">
        Save
      </SubmitButton>
    </Form>
  )
}

function ServerFields({
  form,
  hasPassword,
}: {
  form: ZodForm<z.infer<typeof MailFields>>
  hasPassword: boolean
}) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_120px]">
        <TextField
          form={form}
          name="server.host"
          label="Host"
          placeholder="mail.example.org"
          spellCheck={false}
          autoComplete="off"
        />
        <NumberField form={form} name="server.port" label="Port" min={1} max={65_535} />
      </div>
      <SelectField
        form={form}
        name="server.security"
        label="Security"
        options={securities}
        hint="With STARTTLS and TLS, the server’s certificate must be valid."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          form={form}
          name="server.username"
          label="Username"
          optional
          spellCheck={false}
          autoComplete="off"
        />
        <PasswordField
          form={form}
          name="server.password"
          label="Password"
          optional
          autoComplete="new-password"
          hint={hasPassword ? 'Leave empty to keep the stored one.' : undefined}
        />
      </div>
    </>
  )
}
