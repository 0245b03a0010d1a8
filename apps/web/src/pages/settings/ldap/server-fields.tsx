import type { ReactNode } from 'react'
import { RadioField, SwitchField } from '../../../forms/fields/choice-fields'
import { CheckboxField, PasswordField, TextareaField, TextField } from '../../../forms/fields/fields'
import type { ServerForm } from './server-form'

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <fieldset className="flex min-w-0 flex-col gap-4">
    <legend className="mb-3 text-section font-medium">{title}</legend>
    {children}
  </fieldset>
)
const code = { spellCheck: false, autoCapitalize: 'none', autoComplete: 'off', mono: true } as const

export function ServerFields({ form, passwordSet }: { form: ServerForm; passwordSet: boolean }) {
  const [url, findBy, bindDn] = form.watch(['url', 'findBy', 'bindDn'])
  const isLdaps = url.trim().toLowerCase().startsWith('ldaps:')
  return (
    <div className="flex flex-col gap-7">
      <Section title="Connection">
        <TextField form={form} name="name" label="Name" hint="Shown on the login page." autoComplete="off" />
        <TextField form={form} name="url" label="Address" placeholder="ldaps://ldap.example.org" {...code} />
        {!isLdaps && (
          <CheckboxField
            form={form}
            name="startTls"
            label="Encrypt with StartTLS"
            hint="Without it, passwords cross the network unencrypted."
          />
        )}
        <TextareaField
          form={form}
          name="ca"
          label="CA certificate"
          optional
          rows={3}
          placeholder="-----BEGIN CERTIFICATE-----"
          hint="PEM. Needed only if the server’s certificate is not signed by a public certificate authority."
          {...code}
        />
      </Section>
      <Section title="Search account">
        <TextField
          form={form}
          name="bindDn"
          label="Bind DN"
          optional
          placeholder="cn=search,dc=example,dc=org"
          hint="Needs to read users and groups only. Without it, searches are anonymous."
          {...code}
        />
        {bindDn.trim() !== '' && (
          <PasswordField
            form={form}
            name="admin_password"
            label="Password"
            autoComplete="new-password"
            optional={passwordSet}
            hint={passwordSet ? 'Leave it empty to keep the stored password.' : undefined}
          />
        )}
      </Section>
      <Section title="Users">
        <TextField
          form={form}
          name="baseDn"
          label="Base DN"
          placeholder="ou=people,dc=example,dc=org"
          {...code}
        />
        <RadioField
          form={form}
          name="findBy"
          label="Find users by"
          columns={2}
          options={[
            { value: 'search', label: 'Search', description: 'Looks the username up below the base DN.' },
            { value: 'template', label: 'DN template', description: 'All users’ DNs follow one pattern.' },
          ]}
        />
        {findBy === 'search' ? (
          <TextField
            form={form}
            name="userFilter"
            label="User filter"
            hint="{username} stands for the username entered at login. Active Directory: (sAMAccountName={username})"
            {...code}
          />
        ) : (
          <TextField
            form={form}
            name="userDnTemplate"
            label="DN template"
            placeholder="uid={username},ou=people,dc=example,dc=org"
            {...code}
          />
        )}
      </Section>
      <Section title="Groups and roles">
        <TextField
          form={form}
          name="groupBaseDn"
          label="Group base DN"
          optional
          placeholder="ou=groups,dc=example,dc=org"
          hint="Without it, the memberOf attribute of users is read."
          {...code}
        />
        {form.watch('groupBaseDn').trim() !== '' && (
          <TextField
            form={form}
            name="groupFilter"
            label="Group filter"
            hint="{dn} stands for the user’s DN, {username} for the username."
            {...code}
          />
        )}
        <TextareaField
          form={form}
          name="adminGroups"
          label="Admin groups"
          optional
          rows={2}
          hint="One DN per line."
          {...code}
        />
        <TextareaField
          form={form}
          name="instructorGroups"
          label="Instructor groups"
          optional
          rows={2}
          {...code}
        />
        <TextareaField
          form={form}
          name="userGroups"
          label="User groups"
          optional
          rows={2}
          hint="If any groups are listed, only their members can log in. If none are, assign roles on the Users tab."
          {...code}
        />
      </Section>
      <SwitchField
        form={form}
        name="active"
        label="Active"
        hint="People can log in with this server. Turning it off does not end their sessions."
      />
    </div>
  )
}
