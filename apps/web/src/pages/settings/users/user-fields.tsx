import { providerIds } from '@flotilla/contract/site/config'
import { useController } from 'react-hook-form'
import { ChoicesField, RadioField } from '../../../forms/fields/choice-fields'
import { DateTimeField } from '../../../forms/fields/date-time-field'
import { CheckboxField, PasswordField, TextField } from '../../../forms/fields/fields'
import { PasswordRules } from '../../../forms/password/password-rules'
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
  /** Whether the user's name and email come from an LDAP directory. */
  fromDirectory: boolean
  adminLocked: string | null
}

export function UserFields({ form, isNew, fromDirectory, adminLocked }: Props) {
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
        <TextField
          form={form}
          name="firstName"
          label="First name"
          autoComplete="off"
          disabled={fromDirectory}
        />
        <TextField
          form={form}
          name="lastName"
          label="Last name"
          autoComplete="off"
          disabled={fromDirectory}
        />
        <TextField
          form={form}
          name="email"
          label="Email"
          type="email"
          autoComplete="off"
          disabled={fromDirectory}
          hint={
            fromDirectory ? 'Name and email are updated from the LDAP directory at each login.' : undefined
          }
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
        label="Allowed providers"
        options={[
          {
            value: 'site',
            label: 'Site default',
            description: 'The providers chosen under Settings > Cloud.',
          },
          { value: 'own', label: 'Only these', description: 'Regardless of the site’s list.' },
        ]}
      />
      {form.watch('providersFrom') === 'own' && (
        <ChoicesField form={form} name="providers" label="Providers" columns={3} options={providerOptions} />
      )}
      <TextField
        form={form}
        name="unixAccount"
        label="Unix account"
        optional
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="Their account on attached clusters, if its name differs from the username."
      />
      <DateTimeField
        form={form}
        name="endTime"
        label="Account expires"
        optional
        hint="They are logged out at this time and cannot log in again. Leave empty for no expiration."
      />
      {!isNew && (
        <CheckboxField
          form={form}
          name="verified"
          label="Email address confirmed"
          hint="Until it is confirmed, they are logged out and must enter an emailed code to log in."
        />
      )}
    </div>
  )
}
