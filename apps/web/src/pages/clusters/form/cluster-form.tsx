import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster, LocalCluster } from '@flotilla/contract/clusters/entity'
import { Activity } from 'lucide-react'
import { useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import { toApiError } from '@flotilla/client/api-error'
import { useApiMutation } from '../../../api/query'
import { applyFieldErrors } from '../../../forms/field-errors'
import { CheckboxField, TextField, TextareaField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { TagsField } from '../../../forms/fields/tags-field'
import { useZodForm } from '../../../forms/use-zod-form'
import { paths, useGo } from '../../../paths'
import { LdapCollaboratorsField } from '../../../sharing/ldap-collaborators-field'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Card } from '../../../ui/layout/card'
import { KeyValue } from '../../../ui/text/key-value'
import { actionBlockedReason } from '../actions/cluster-actions'
import { Diagnosis } from '../diagnosis'
import {
  clusterSchema,
  hasPaths,
  inputOf,
  newAttached,
  newCluster,
  valuesOf,
  withoutPaths,
} from './cluster-values'
import type { ClusterValues } from './cluster-values'
import { HeadFields } from './head-fields'
import { ManagerFields, WhereField } from './where-fields'

interface Props {
  /** Null for a new cluster. */
  cluster: LocalCluster | null
  admin: boolean
  /** Initial values of a new cluster, if not the defaults. */
  start?: ClusterValues
  /** A note on the source of the initial values. */
  note?: ReactNode
}

export function ClusterForm({ cluster, admin, start, note }: Props) {
  const go = useGo()
  const isAdmin = useIsAdmin()
  const keyStored = cluster?.data.head?.key === 'given'
  const schema = useMemo(() => clusterSchema(keyStored), [keyStored])
  const form = useZodForm(schema, {
    defaults: cluster
      ? valuesOf(cluster)
      : isAdmin
        ? (start ?? newCluster)
        : withoutPaths(start ?? newAttached),
  })
  const transport = useWatch({ control: form.control, name: 'data.transport' })
  const key = useWatch({ control: form.control, name: 'data.head.key' })
  const needsKeyFirst = !cluster && transport === 'ssh' && key === 'cluster'

  const invalidates = [clusters.list, clusters.view]
  const create = useApiMutation(clusters.createLocal, { invalidates })
  const update = useApiMutation(clusters.updateLocal, { admin, invalidates })
  const deploy = useApiMutation(clusters.deploy, { admin, invalidates })
  const test = useApiMutation(clusters.test, { admin })
  const deployAfter = useRef(false)

  const showErrors = (error: unknown) => {
    const { fields, message } = toApiError(error)
    applyFieldErrors(form, fields, message)
  }
  const save = async () => {
    // Unparsed values, because the call parses its input.
    const input = inputOf(form.getValues())
    let saved: Cluster
    try {
      saved = cluster
        ? await update.mutateAsync({ body: { ...input, id: cluster.id } })
        : await create.mutateAsync({ body: input })
    } catch (error) {
      return showErrors(error)
    }
    // A failed deploy opens the ERROR dialog; the cluster is saved anyway.
    if (deployAfter.current) await deploy.mutateAsync({ body: { id: saved.id } }).catch(() => undefined)
    const hasKeyToInstall =
      !cluster && !deployAfter.current && saved.provider === 'local' && saved.data.head?.key === 'cluster'
    go(paths.cluster(saved.id, hasKeyToInstall ? 'connection' : undefined))
  }
  const tryConnection = async () => {
    if (!(await form.trigger())) return
    // Errors that belong to no field are shown with the test.
    const sent = { body: inputOf(form.getValues()), beside: { id: cluster?.id } }
    await test.mutateAsync(sent).catch((error: unknown) => {
      if (Object.keys(toApiError(error).fields).length > 0) showErrors(error)
    })
  }
  const deployBlockedReason = cluster ? actionBlockedReason(cluster, 'deploy') : null

  return (
    <Form form={form} onSubmit={save} className="max-w-180">
      {note}
      {!isAdmin && start && hasPaths(start) && (
        <Callout tone="amber" title="The command folder and slurm.conf were left out">
          Only an admin can set them.
        </Callout>
      )}
      {isAdmin && cluster?.data.pathsConfirmed === false && <UnconfirmedPaths cluster={cluster} />}
      <Card title="Basics">
        <div className="flex flex-col gap-4">
          <TextField form={form} name="name" label="Name" autoComplete="off" data-autofocus />
          <TextareaField form={form} name="description" label="Description" optional rows={2} />
          <TagsField
            form={form}
            name="collaborators"
            label="Collaborators"
            noun="person"
            optional
            placeholder="Usernames"
            hint={
              isAdmin || transport === 'local'
                ? 'They can see the cluster and submit jobs to it. Only you can change it.'
                : 'They can see the cluster and, once they accept it, submit jobs to it. Only you can change it.'
            }
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
        </div>
      </Card>
      <Card title="Location">
        <div className="flex flex-col gap-4">
          <WhereField form={form} mayUseThisMachine={isAdmin || cluster?.data.transport === 'local'} />
          {transport === 'ssh' && <HeadFields form={form} keyStored={keyStored} />}
        </div>
      </Card>
      <Card title="Resource manager">
        <ManagerFields form={form} isAdmin={isAdmin} />
      </Card>
      <Card
        title="Test connection"
        description={
          transport === 'ssh'
            ? 'Tests every step to the resource manager without saving anything.'
            : 'Tests the resource manager on this machine without saving anything.'
        }
        actions={
          <Button icon={Activity} busy={test.isPending} onClick={() => void tryConnection()}>
            Test connection
          </Button>
        }
      >
        {test.error && Object.keys(test.error.fields).length === 0 ? (
          <Callout tone="red" title={test.error.message} alert />
        ) : test.data || test.isPending ? (
          <Diagnosis steps={test.data} busy={test.isPending} />
        ) : (
          <p className="text-body text-ink-3">
            {needsKeyFirst
              ? 'The cluster’s key is created when you save. Until it is installed on the head node, the test stops at the login.'
              : 'Not tested yet. You can also save first and test later.'}
          </p>
        )}
      </Card>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => go(cluster ? paths.cluster(cluster.id) : paths.clusters())}>Cancel</Button>
        <SubmitButton form={form} variant="secondary" onClick={() => (deployAfter.current = false)}>
          Save
        </SubmitButton>
        <SubmitButton
          form={form}
          disabledReason={deployBlockedReason}
          onClick={() => (deployAfter.current = true)}
        >
          Save and deploy
        </SubmitButton>
      </div>
    </Form>
  )
}

/** An admin who saves another user's paths takes responsibility for them. */
function UnconfirmedPaths({ cluster: { data } }: { cluster: LocalCluster }) {
  return (
    <Callout tone="amber" title="Saving confirms the paths of this cluster">
      They were set by someone who is not an admin, and determine which programs run under everyone’s account.
      Check them, or clear them under “More”.
      <KeyValue
        items={[
          { label: 'Commands', value: data.head?.binFolder },
          { label: 'slurm.conf', value: data.slurmConf },
        ]}
      />
    </Callout>
  )
}
