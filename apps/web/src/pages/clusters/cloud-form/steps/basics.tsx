import { credentials } from '@flotilla/contract/clouds/credentials'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { withStack } from '@flotilla/contract/stacks/stack-choices'
import { useEffect } from 'react'
import { useApiQuery } from '../../../../api/query'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { CheckboxField, SelectField, TextField, TextareaField } from '../../../../forms/fields/fields'
import { TagsField } from '../../../../forms/fields/tags-field'
import { paths } from '../../../../paths'
import { LdapCollaboratorsField } from '../../../../sharing/ldap-collaborators-field'
import { useIsAdmin } from '../../../../session/user'
import { Callout } from '../../../../ui/feedback/callout'
import { TextLink } from '../../../../ui/button/link'
import type { CloudForm } from '../values/cloud-values'
import { ONLY_NEW } from '../values/field-rules'
import { stackText } from '../values/stack-text'
import { useStacks } from '../use-stacks'

interface Props {
  form: CloudForm
  provider: Provider
  /** Whether the cluster is deployed, and so keeps the credential it was deployed with. */
  deployed: boolean
}

/** The fields that clusters of every cloud have. */
export function BasicFields({ form, provider, deployed }: Props) {
  return (
    <>
      <TextField form={form} name="name" label="Name" autoComplete="off" data-autofocus />
      <TextareaField form={form} name="description" label="Description" optional rows={2} />
      <CredentialField form={form} provider={provider} deployed={deployed} />
      <StackField form={form} provider={provider} deployed={deployed} />
    </>
  )
}

export function PeopleFields({ form }: { form: CloudForm }) {
  const isAdmin = useIsAdmin()
  return (
    <>
      <TagsField
        form={form}
        name="collaborators"
        label="Collaborators"
        noun="person"
        optional
        placeholder="Usernames"
        hint="They can see the cluster and submit jobs to it. Only you can change it."
      />
      <LdapCollaboratorsField form={form} name="ldapCollaborators" />
      {isAdmin && (
        <CheckboxField
          form={form}
          name="forEveryone"
          label="Share with everyone on this site"
          hint="Everyone with an account here can see it and submit jobs to it."
        />
      )}
    </>
  )
}

function CredentialField({ form, provider, deployed }: Props) {
  const isAdmin = useIsAdmin()
  const list = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } })
  const offered = list.data?.filter((one) => one.provider === provider.id)
  const chosen = form.getValues('credential_id')
  const only = offered?.length === 1 ? offered[0]?.id : undefined
  useEffect(() => {
    // An effect, because the list comes from the server. A single credential is chosen for the user.
    if (only === undefined || form.getValues('credential_id') !== '') return
    form.setValue('credential_id', only)
    // The field may show “Choose a credential” if the user left it before the list was loaded.
    form.clearErrors('credential_id')
  }, [only, form])
  const known = offered?.some(({ id }) => id === chosen) ?? true
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        form={form}
        name="credential_id"
        label="Credential"
        hint={
          deployed
            ? 'The cluster is deployed with this credential. Destroy it to choose another.'
            : 'Resources are created in, and billed to, its account.'
        }
        disabled={deployed}
        placeholder={list.isPending ? 'Loading' : 'Choose a credential'}
        options={[
          ...(chosen !== '' && !known ? [{ value: chosen, label: 'Not shared with you' }] : []),
          ...(offered ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {offered?.length === 0 && (
        <Callout tone="amber" title={`No credential for ${provider.name}`}>
          {isAdmin ? (
            <>
              <TextLink to={paths.credentials()} search={{ new: '1' }}>
                Add one
              </TextLink>{' '}
              first. It gives the console access to the account that pays for the machines.
            </>
          ) : (
            'Ask an admin to add one and share it with you.'
          )}
        </Callout>
      )}
    </div>
  )
}

/** The stack whose image the machines boot from. */
function StackField({ form, provider, deployed }: Props) {
  const stacks = useStacks(provider.id)
  const chosen = form.getValues('stack_id')
  if (stacks.length === 0 && chosen === null) return null
  const stack = stacks.find(({ id }) => id === chosen)
  const known = stack !== undefined
  const decides = stack ? ` It sets: ${stackText(provider, stack)}.` : ''
  return (
    <SelectField
      form={form}
      name="stack_id"
      label="Stack"
      optional
      hint={`The image its machines boot from.${decides}${deployed ? ` ${ONLY_NEW}` : ''}`}
      onChosen={(id) => {
        const next = stacks.find((one) => one.id === id)
        if (!next) return
        const { info, data } = withStack(form.getValues(), next.data)
        form.setValue('info.os-type', info['os-type'], { shouldDirty: true })
        form.setValue('data.manager', data.manager, { shouldDirty: true })
      }}
      placeholder="The operating system’s public image"
      options={[
        ...(chosen !== null && !known ? [{ value: chosen, label: 'Not shared with you' }] : []),
        ...stacks.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  )
}
