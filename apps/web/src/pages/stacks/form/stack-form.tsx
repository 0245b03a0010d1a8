import type { ProviderId } from '@flotilla/contract/site/config'
import { credentials } from '@flotilla/contract/clouds/credentials'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { useMemo, useRef, useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { useApiQuery, useApiMutation } from '../../../api/query'
import { applyFieldErrors } from '../../../forms/field-errors'
import { SelectField, TextField, TextareaField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { paths, useGo } from '../../../paths'
import { useLeaveGuard } from '../../../session/use-leave-guard'
import { useIsAdmin } from '../../../session/user'
import { Card } from '../../../ui/layout/card'
import { ButtonLink, TextLink } from '../../../ui/button/link'
import { PageHeader } from '../../../ui/layout/page-header'
import { RadioCards } from '../../../ui/form/radio-cards'
import { useBuild } from '../use-build'
import { FieldCards } from './field-cards'
import { FilesCard } from './files-card'
import { filesOf, hasScript, keptFiles, uploadsOf, type StackFiles } from './stack-files'
import {
  dataFor,
  missingIn,
  newValues,
  stackSchema,
  valuesOf,
  type StackForm as Form_,
  type StackValues,
} from './stack-values'

interface Props {
  title: string
  /** The stack to edit; null for a new stack. */
  stack: Stack | null
  /** Initial values of a new stack. */
  start?: Stack
  offered: readonly [Provider, ...Provider[]]
  /** The provider that is selected initially; by default, the first one. */
  preferred?: Provider
}

export function StackForm({ title, stack, start, offered, preferred = offered[0] }: Props) {
  const go = useGo()
  const admin = useIsAdmin()
  const source = stack ?? start
  const first = offered.find(({ id }) => id === source?.provider) ?? preferred
  const [chosen, setChosen] = useState<ProviderId>(first.id)
  const provider = offered.find(({ id }) => id === chosen) ?? first
  const keys = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } })
  const keysOf = (id: ProviderId) => (keys.data ?? []).filter((key) => key.provider === id)
  /** The only credential of a provider, which is then preselected; empty if there are none or several. */
  const onlyKey = (id: ProviderId) => (keysOf(id).length === 1 ? (keysOf(id)[0]?.id ?? '') : '')
  const initial = { ...newValues(first), credential_id: onlyKey(first.id) }
  const schema = useMemo(() => stackSchema(provider), [provider])
  const form: Form_ = useZodForm(schema, {
    defaults: source
      ? { ...valuesOf(source), ...(!stack && { name: `${source.name} copy` }) }
      : { ...initial, data: dataFor(first, initial.data) },
  })
  const [files, setFiles] = useState<StackFiles>(() => filesOf(stack))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [touchedFiles, setTouched] = useState(false)
  const { leave, dialog } = useLeaveGuard(form.formState.isDirty || touchedFiles)
  const usable = keysOf(provider.id)

  const invalidates = [stacks.list, stacks.view]
  const create = useApiMutation(stacks.create, { admin, invalidates, success: 'Stack saved' })
  const update = useApiMutation(stacks.update, { admin, invalidates, success: 'Stack saved' })
  const done = provider.id === 'maas' ? 'registered' : 'built'
  const build = useBuild({ lead: `The stack was saved, but not ${done}` })
  const buildAfter = useRef(false)

  const choose = (id: ProviderId) => {
    const next = offered.find((one) => one.id === id) ?? provider
    setChosen(next.id)
    form.setValue('provider', next.id)
    form.setValue('credential_id', onlyKey(next.id))
    form.setValue('data', dataFor(next, form.getValues('data')), { shouldDirty: true })
    form.clearErrors()
  }
  const save = async (values: StackValues) => {
    setProblems({})
    const missing = buildAfter.current ? missingIn(provider, values) : {}
    if (Object.keys(missing).length > 0) return applyFieldErrors(form, missing)
    const sent = { ...values, collaborators: stack?.collaborators ?? [] }
    let saved: Stack
    try {
      const uploads = await uploadsOf(files)
      saved = stack
        ? await update.mutateAsync({
            body: { ...sent, id: stack.id, provision: keptFiles(files) },
            beside: uploads,
          })
        : await create.mutateAsync({ body: sent, beside: uploads })
    } catch (error) {
      const { fields, message } = toApiError(error)
      setProblems(fields)
      return applyFieldErrors(form, fields, message)
    }
    leave()
    // A failed build opens the ERROR dialog; the stack is saved anyway.
    if (buildAfter.current) await build.mutateAsync({ body: { id: saved.id } }).catch(() => undefined)
    go(paths.stack(saved.id))
  }

  const roles = { stackId: stack?.id ?? null, files, problems }
  const change = (next: Partial<StackFiles>) => {
    setTouched(true)
    setFiles((now) => ({ ...now, ...next }))
  }
  return (
    <>
      <PageHeader title={title} />
      <Form form={form} onSubmit={save} className="max-w-4xl">
        <Card title="Stack">
          <div className="flex flex-col gap-4">
            {!stack && (
              <RadioCards
                legend="Provider"
                name="provider"
                columns={5}
                value={provider.id}
                onChange={choose}
                options={offered.map(({ id, name }) => ({ value: id, label: name }))}
              />
            )}
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <TextField form={form} name="name" label="Name" autoComplete="off" />
              <SelectField
                form={form}
                name="credential_id"
                label="Credential"
                hint={
                  keys.data && usable.length === 0 ? (
                    <NoKey provider={provider} admin={admin} />
                  ) : (
                    'The image is built and stored in its account.'
                  )
                }
                placeholder="Choose a credential"
                options={usable.map(({ id, name }) => ({ value: id, label: name }))}
              />
            </div>
            <TextareaField form={form} name="description" label="Description" optional rows={2} />
            <TextField
              form={form}
              name="builder"
              label="Builder"
              optional
              hint="Where the stack comes from, such as market. For information only; it does not change the image."
              autoComplete="off"
              className="sm:w-1/2 sm:pr-2"
            />
          </div>
        </Card>
        <FieldCards
          key={provider.id}
          form={form}
          provider={provider}
          stored={stack?.rhel.activationKeySet ?? false}
          hasScript={hasScript(files)}
        />
        {provider.id !== 'maas' && (
          <>
            <FilesCard
              {...roles}
              title="Node provisioner"
              description="Runs as root at the end of the image build. All machines boot from this image."
              script="nodeProvisioner"
              data="dataFiles"
              onChange={change}
            />
            <FilesCard
              {...roles}
              title="Server provisioner"
              description="Builds a second image just for head nodes, where this script runs instead."
              script="serverProvisioner"
              data="dataFilesB"
              onChange={change}
            />
          </>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <ButtonLink to={stack ? paths.stack(stack.id) : paths.stacks()}>Cancel</ButtonLink>
          <SubmitButton form={form} variant="secondary" onClick={() => void (buildAfter.current = false)}>
            Save
          </SubmitButton>
          <SubmitButton form={form} onClick={() => void (buildAfter.current = true)}>
            {provider.id === 'maas' ? 'Save and register' : 'Save and build'}
          </SubmitButton>
        </div>
      </Form>
      {dialog}
    </>
  )
}

const NoKey = ({ provider, admin }: { provider: Provider; admin: boolean }) =>
  admin ? (
    <>
      No credential for {provider.name} yet:{' '}
      <TextLink to={paths.credentials()} search={{ new: '1' }}>
        add one
      </TextLink>{' '}
      first.
    </>
  ) : (
    `No credential for ${provider.name} is shared with you. Ask an admin for one.`
  )
