import { providerIds } from '@flotilla/contract/site/config'
import { useController } from 'react-hook-form'
import { ChoicesField, RadioField } from '../../../forms/choice-fields'
import { DateTimeField } from '../../../forms/date-time-field'
import { CheckboxField, PasswordField, TextField } from '../../../forms/fields'
import { PasswordRules } from '../../../forms/password-rules'
import { RoleChoices } from './role-choices'
import type { UserForm } from './user-form'

const providerNames: Record<(typeof providerIds)[number], string> = {
  oracle: 'Oracle Cloud',
  aws: 'AWS',
  gcp: 'Google Cloud',
  maas: 'ACM (MAAS)',
  azure: 'Azure',
}
const providerOptions = providerIds.map((value) => ({ value, label: providerNames[value] }))

interface Props {
  form: UserForm
  isNew: boolean
  adminLocked: string | null
}

export function UserFields({ form, isNew, adminLocked }: Props) {
  const role = useController({ control: form.control, name: 'role' })
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        {isNew && (
          <TextField
            form={form}
            name="username"
            label="Username"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="sm:col-span-2"
          />
        )}
        <TextField form={form} name="firstName" label="First name" autoComplete="off" />
        <TextField form={form} name="lastName" label="Last name" autoComplete="off" />
        <TextField
          form={form}
          name="email"
          label="Email"
          type="email"
          autoComplete="off"
          className="sm:col-span-2"
        />
      </div>
      {isNew && (
        <div className="flex flex-col gap-3">
          <PasswordField form={form} name="password" label="Password" autoComplete="new-password" />
          <PasswordRules password={form.watch('password')} />
        </div>
      )}
      <RoleChoices
        held={role.field.value}
        onChange={role.field.onChange}
        adminLocked={adminLocked}
        error={role.fieldState.error?.message}
      />
      <RadioField
        form={form}
        name="providersFrom"
        label="Providers they may use"
        options={[
          { value: 'site', label: 'Site default', description: 'The list in the site configuration.' },
          { value: 'own', label: 'Only these', description: 'Whatever the site offers.' },
        ]}
      />
      {form.watch('providersFrom') === 'own' && (
        <ChoicesField form={form} name="providers" label="Providers" columns={3} options={providerOptions} />
      )}
      <DateTimeField
        form={form}
        name="endTime"
        label="Account ends"
        optional
        hint="At that moment they are logged out, and cannot log in again. Leave it empty for no end."
      />
      {!isNew && (
        <CheckboxField
          form={form}
          name="verified"
          label="Email address confirmed"
          hint="Until it is, they are logged out and have to enter a mailed code before they can log in."
        />
      )}
    </div>
  )
}
