import type { App } from '@flotilla/contract/apps/apps'
import { appSessions } from '@flotilla/contract/apps/sessions'
import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import type { UseQueryResult } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { sendForm } from '../account/send-form'
import { useApiMutation, useApiQuery } from '../api/query'
import { NumberField, TextField } from '../forms/fields/fields'
import { Form, SubmitButton } from '../forms/form'
import { useZodForm } from '../forms/use-zod-form'
import { ClusterChoices } from '../submit/cluster-choices'
import { offers } from '../submit/offer'
import { Button } from '../ui/button/button'
import { Async } from '../ui/feedback/async'
import { FieldError } from '../ui/form/field'
import { Dialog } from '../ui/overlay/dialog'
import { LaunchField } from './launch-field'
import { launchSchema, type LaunchForm } from './launch-form'

interface Props {
  app: App
  /** Without a cluster, the user chooses one. */
  cluster?: string
  /** Called when the session was created, in addition to `onClose`. */
  onStarted?: (cluster: string) => void
  onClose: () => void
}

/** Starts an app with the chosen cluster, field values and resources. */
export function LaunchDialog({ app, cluster, onStarted, onClose }: Props) {
  const formId = useId()
  const [schema] = useState(() => launchSchema(app))
  const values = Object.fromEntries(app.fields.map((field) => [field.name, field.default]))
  const form = useZodForm(schema, { defaults: { cluster: cluster ?? '', values, resources: app.resources } })
  const offered = useApiQuery(
    clusters.list,
    { query: { limit: PAGE_SIZE_MAX } },
    { enabled: cluster === undefined },
  )
  const launch = useApiMutation(appSessions.launch, {
    success: `${app.name} is starting`,
    invalidates: [appSessions.list],
    onSuccess: onClose,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!launch.isPending}
      title={`Start ${app.name}`}
      description={app.description}
      footer={
        <>
          <Button onClick={onClose} disabled={launch.isPending}>
            Cancel
          </Button>
          <SubmitButton form={form} formId={formId} disabled={cluster === undefined && !offered.data}>
            Start
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={(input) =>
          sendForm(
            form,
            launch.mutateAsync({ body: { app: app.id, ...input } }).then(() => onStarted?.(input.cluster)),
          )
        }
      >
        {cluster === undefined && <ClusterField form={form} list={offered} />}
        {app.fields.map((field) => (
          <LaunchField key={field.name} form={form} field={field} />
        ))}
        <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
          <NumberField form={form} name="resources.cores" label="Cores" min={1} />
          <NumberField form={form} name="resources.gpus" label="GPUs" min={0} />
          <TextField form={form} name="resources.walltime" label="Wall time" hint="HH:MM:SS" mono />
        </div>
      </Form>
    </Dialog>
  )
}

function ClusterField({ form, list }: { form: LaunchForm; list: UseQueryResult<Cluster[]> }) {
  const { cores, gpus } = useWatch({ control: form.control, name: 'resources' })
  const { field, fieldState } = useController({ control: form.control, name: 'cluster' })
  const id = useId()
  return (
    <Async data={list}>
      {(all) => (
        <div className="flex flex-col gap-1.5">
          <ClusterChoices
            offers={offers({ nodes: 1, cores: cores ?? 1, gpus: gpus ?? 0 }, all)}
            value={field.value || null}
            onChange={field.onChange}
          />
          {fieldState.error?.message && <FieldError id={id}>{fieldState.error.message}</FieldError>}
        </div>
      )}
    </Async>
  )
}
