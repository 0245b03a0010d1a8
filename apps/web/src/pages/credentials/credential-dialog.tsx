import type { ProviderId } from '@flotilla/contract/site/config'
import { credentials, type Credential } from '@flotilla/contract/clouds/credentials'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { useId, useMemo, useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { useApiMutation } from '../../api/query'
import { applyFieldErrors } from '../../forms/field-errors'
import { TextField } from '../../forms/fields/fields'
import { Form, SubmitButton } from '../../forms/form'
import { useZodForm } from '../../forms/use-zod-form'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { Dialog } from '../../ui/overlay/dialog'
import { RadioCards } from '../../ui/form/radio-cards'
import { AuthFields } from './auth-fields'
import {
  credentialSchema,
  dataFor,
  dataOf,
  isAnother,
  nameOf,
  newDataOf,
  valuesFor,
  withFound,
  type CredentialForm,
} from './credential-values'
import { FileDrop } from './file-drop'
import { HowToPanel } from './how-to-panel'
import type { Found } from './parse/found'
import { subjectOf, TestPanel } from './testing/test-panel'

interface Props {
  /** Null for a new credential. */
  credential: Credential | null
  offered: readonly [Provider, ...Provider[]]
  onClose: () => void
}

/**
 * Creates or edits a credential, with the fields of its provider. A new credential starts with the first available
 * provider.
 */
export function CredentialDialog({ credential, offered, onClose }: Props) {
  const formId = useId()
  const [chosen, setChosen] = useState<ProviderId>(credential?.provider ?? offered[0].id)
  const provider = offered.find(({ id }) => id === chosen) ?? offered[0]
  const fields = provider.authentications
  const schema = useMemo(() => credentialSchema(fields, credential), [fields, credential])
  const form: CredentialForm = useZodForm(schema, { defaults: valuesFor(provider.id, fields, credential) })
  const [region, setRegion] = useState(credential?.lastTest?.region ?? '')
  const where = provider.regions.some(({ region_id }) => region_id === region)
    ? region
    : (provider.regions[0]?.region_id ?? '')
  /** The last file that filled the form. */
  const [read, setRead] = useState<Found | null>(null)
  const [tested, setTested] = useState<string | null>(null)

  const invalidates = [credentials.list]
  const create = useApiMutation(credentials.create, { admin: true, invalidates, success: 'Credential saved' })
  const update = useApiMutation(credentials.update, { admin: true, invalidates, success: 'Credential saved' })
  const testStored = useApiMutation(credentials.test, { admin: true, invalidates })

  const choose = (id: ProviderId, data: Record<string, string> = {}) => {
    const next = offered.find((one) => one.id === id) ?? provider
    setChosen(next.id)
    form.setValue('provider', next.id)
    form.setValue('data', dataFor(next.authentications, data), { shouldDirty: true })
    form.clearErrors()
  }
  const fill = (found: Found) => {
    const earlier = read?.provider === found.provider ? read : null
    const another = isAnother(earlier, found) || (read !== null && earlier === null)
    const typed = found.provider === provider.id ? form.getValues('data') : {}
    choose(found.provider, withFound(typed, earlier, found))
    if (found.region || another) setRegion(found.region ?? '')
    const name = form.getValues('name')
    if (name === '' || (another && read && name === nameOf(read)))
      form.setValue('name', nameOf(found), { shouldDirty: true })
    setRead(earlier && !another ? { ...earlier, data: { ...earlier.data, ...found.data } } : found)
  }
  const save = async () => {
    const values = form.getValues()
    const { name, description } = values
    try {
      const saved = credential
        ? await update.mutateAsync({
            body: { id: credential.id, name, description, data: dataOf(values, fields) },
          })
        : await create.mutateAsync({
            body: { name, description, provider: provider.id, data: newDataOf(values, fields) },
          })
      // The user has just tested these values. Testing the stored credential makes the list show the result.
      if (tested === subjectOf(form.getValues(['data', 'removed']), where))
        testStored.mutate({ body: { id: saved.id, ...(where && { region: where }) } })
      onClose()
    } catch (error) {
      const { fields: wrong, message } = toApiError(error)
      applyFieldErrors(form, wrong, message)
    }
  }

  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={credential ? `Edit ${credential.name}` : 'New credential'}
      description="Stored encrypted. Secrets are never shown again."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            {credential ? 'Save' : 'Save credential'}
          </SubmitButton>
        </>
      }
    >
      <Form id={formId} form={form} onSubmit={save}>
        {!credential && (
          <RadioCards
            legend="Provider"
            name="provider"
            columns={5}
            value={provider.id}
            onChange={(id) => choose(id)}
            options={offered.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        {credential && credential.usedBy > 0 && (
          <Callout tone="amber" title={`In use by ${credential.usedBy}`}>
            Existing clusters and images will use the new values, so they must belong to the same account.
          </Callout>
        )}
        <details className="rounded-control border border-line-1">
          <summary className="px-3 py-2 text-body font-medium">
            How to get one for {provider.name}, and the permissions it needs
          </summary>
          <div className="border-t border-line-1 p-3">
            <HowToPanel provider={provider.id} />
          </div>
        </details>
        <FileDrop
          only={credential?.provider ?? null}
          nameOf={(id) => offered.find((one) => one.id === id)?.name ?? id}
          onFound={fill}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            form={form}
            name="name"
            label="Name"
            autoComplete="off"
            // For a new credential, the focus starts on the provider instead.
            data-autofocus={credential ? '' : undefined}
          />
          <TextField form={form} name="description" label="Description" optional autoComplete="off" />
        </div>
        <AuthFields key={provider.id} form={form} fields={fields} stored={credential} />
        <TestPanel
          form={form}
          provider={provider}
          stored={credential}
          region={where}
          onRegion={setRegion}
          tested={tested}
          onTested={setTested}
        />
      </Form>
    </Dialog>
  )
}
