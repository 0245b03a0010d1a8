import { backups, BackupSettings, BACKUPS_KEPT_MAX, type BackupStatus } from '@flotilla/contract/site/backups'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { SwitchField } from '../../../forms/fields/choice-fields'
import { NumberField, SelectField, TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'

/** The settings, with the hour as text, because a select's value is text. */
const FormValues = z.object({
  ...BackupSettings.shape,
  hour: z.pipe(z.string(), z.transform(Number)),
})

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}))

export function BackupForm({ status: { settings, timeZone } }: { status: BackupStatus }) {
  const values = { ...settings, hour: String(settings.hour) }
  const form = useZodForm(FormValues, { defaults: values, values })
  const save = useApiMutation(backups.set, {
    success: 'Backup settings saved',
    invalidates: [backups.view],
  })
  return (
    <Form form={form} onSubmit={(body) => sendForm(form, save.mutateAsync({ body }))}>
      <SwitchField form={form} name="daily" label="Back up every day" />
      <TextField
        form={form}
        name="folder"
        label="Folder on the server"
        hint="Best on another disk or a network share. Only the server’s account can read what it writes there."
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField form={form} name="hour" label={`Hour (${timeZone})`} options={hours} />
        <NumberField
          form={form}
          name="keep"
          label="Daily backups to keep"
          hint="Older ones are removed. Manual backups stay."
          min={1}
          max={BACKUPS_KEPT_MAX}
        />
      </div>
      <SubmitButton form={form} className="self-start">
        Save
      </SubmitButton>
    </Form>
  )
}
