import { APP_FIELDS_MAX, appFieldKinds } from '@flotilla/contract/apps/apps'
import { Plus, X } from 'lucide-react'
import { useFieldArray, useWatch } from 'react-hook-form'
import { TagsField } from '../../forms/fields/tags-field'
import { CheckboxField, SelectField, TextField } from '../../forms/fields/fields'
import { Button, IconButton } from '../../ui/button/button'
import type { AppFormState } from './app-form-state'

const kindNames = { text: 'Text', number: 'Number', choice: 'Choice', switch: 'Switch' } as const

/** Edits the fields that users fill in when they start the app. */
export function FieldRows({ form }: { form: AppFormState }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'fields' })
  const full = fields.length >= APP_FIELDS_MAX ? `At most ${APP_FIELDS_MAX} fields` : null
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 text-body font-medium">
        Fields <span className="font-normal text-ink-3">optional</span>
      </legend>
      <p className="text-label text-ink-3">
        Users fill these in when they start the app. The script gets each as an environment variable, such as
        APP_FOLDER for a field named folder.
      </p>
      {fields.map(({ id }, at) => (
        <div key={id} className="flex flex-col gap-3 rounded-card border border-line-1 p-3">
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-[1fr_1fr_8rem_auto]">
            <TextField form={form} name={`fields.${at}.name`} label="Name" mono placeholder="folder" />
            <TextField form={form} name={`fields.${at}.label`} label="Label" placeholder="Folder" />
            <SelectField
              form={form}
              name={`fields.${at}.kind`}
              label="Kind"
              options={appFieldKinds.map((value) => ({ value, label: kindNames[value] }))}
            />
            <IconButton
              label={`Remove field ${at + 1}`}
              icon={X}
              className="self-end"
              onClick={() => remove(at)}
            />
          </div>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField form={form} name={`fields.${at}.default`} label="Default" optional />
            <TextField form={form} name={`fields.${at}.help`} label="Help text" optional />
          </div>
          <Options form={form} at={at} />
          <CheckboxField form={form} name={`fields.${at}.required`} label="Required" />
        </div>
      ))}
      <div>
        <Button
          icon={Plus}
          disabledReason={full}
          onClick={() => append({ name: '', label: '', kind: 'text' })}
        >
          Add a field
        </Button>
      </div>
    </fieldset>
  )
}

function Options({ form, at }: { form: AppFormState; at: number }) {
  const kind = useWatch({ control: form.control, name: `fields.${at}.kind` })
  if (kind !== 'choice') return null
  return <TagsField form={form} name={`fields.${at}.options`} label="Options" noun="option" />
}
