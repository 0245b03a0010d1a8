import { isWriteOnly, type Credential } from '@flotilla/contract/clouds/credentials'
import type { Authentication } from '@flotilla/contract/clouds/providers'
import { useWatch } from 'react-hook-form'
import { CheckboxField, PasswordField, SecretTextareaField, TextField } from '../../forms/fields/fields'
import type { CredentialForm } from './credential-values'

interface Props {
  form: CredentialForm
  fields: readonly Authentication[]
  stored: Credential | null
}

/** The fields that the provider requires. */
export function AuthFields({ form, fields, stored }: Props) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {fields.map((field) => (
        <AuthField key={field.id} form={form} field={field} stored={stored} />
      ))}
    </div>
  )
}

function AuthField({ form, field, stored }: Omit<Props, 'fields'> & { field: Authentication }) {
  const kept = stored?.data[field.id]
  const isKept = isWriteOnly(field) && kept?.set === true
  const isRemoved = useWatch({ control: form.control, name: `removed.${field.id}` })
  const common = {
    form,
    name: `data.${field.id}`,
    label: field.label,
    optional: !field.required,
    hint: isRemoved ? 'Removed when you save.' : isKept ? 'Stored. Leave empty to keep it.' : field.help,
    placeholder: isKept ? (kept.ending === null ? '••••••••' : `••••${kept.ending}`) : undefined,
    disabled: isRemoved ?? false,
    autoComplete: 'off',
    spellCheck: false,
  } as const
  return (
    <div className={field.multiline ? 'flex flex-col gap-2 sm:col-span-2' : 'flex min-w-0 flex-col gap-2'}>
      {field.multiline ? (
        <SecretTextareaField {...common} rows={5} />
      ) : field.type === 'password' ? (
        // Keeps password managers from filling in these fields or offering to save them.
        <PasswordField {...common} autoComplete="new-password" />
      ) : (
        <TextField {...common} mono />
      )}
      {isKept && !field.required && (
        <CheckboxField
          form={form}
          name={`removed.${field.id}`}
          label={`Remove the stored ${field.label.toLowerCase()}`}
        />
      )}
    </div>
  )
}
