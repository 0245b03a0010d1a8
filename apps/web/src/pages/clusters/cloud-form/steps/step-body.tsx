import { valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Price, Provider } from '@flotilla/contract/clouds/providers'
import { useController, useWatch } from 'react-hook-form'
import { BasicFields, PeopleFields } from './basics'
import { DiskRows } from '../rows/disk-rows'
import type { CloudForm } from '../values/cloud-values'
import { FieldSet } from '../../../../clouds/field-set'
import { makesNetwork, whenDeployed } from '../values/field-rules'
import type { Step } from '../values/field-rules'
import { GroupList } from '../rows/group-list'
import { IdleCost } from '../price/idle-cost'
import { NoTorqueInCluster, useLacksTorque } from './no-torque'
import { TagRows } from '../rows/tag-rows'

interface Props {
  form: CloudForm
  provider: Provider
  step: Step
  deployed: boolean
  /** An existing cluster, whose secrets are stored. */
  stored: boolean
  price: Price | undefined
}

/** The fields of one step: the provider's own, surrounded by those of every cluster. */
export function StepBody({ form, provider, step, deployed, stored, price }: Props) {
  const fields = provider.clusterFields.filter((field) => field.step === step)
  const hasDisks = !provider.refusals.some(({ path }) => path === 'data.disks')
  return (
    <div className="flex flex-col gap-5">
      {step === 'basics' && <BasicFields form={form} provider={provider} deployed={deployed} />}
      {step === 'nodes' && <GroupList form={form} provider={provider} />}
      {step === 'network' && (
        <p className="text-body text-ink-2">
          {makesNetwork(provider)
            ? 'Leave these empty to create a network, a firewall and addresses just for this cluster. '
            : 'Leave these empty to keep the machines in their current networks. '}
          Anything you enter must already exist, and is kept when the cluster is destroyed.
        </p>
      )}
      {step === 'software' && <TorqueNote form={form} provider={provider} />}
      {fields.length > 0 && (
        <FieldSet
          of="cluster"
          {...{ form, provider, fields, stored }}
          inUse={deployed ? whenDeployed : undefined}
        />
      )}
      {step === 'nodes' && <IdleCost form={form} price={price} />}
      {step === 'head' && hasDisks && <Disks form={form} provider={provider} />}
      {step === 'basics' && <PeopleFields form={form} />}
      {step === 'advanced' && <TagRows form={form} />}
    </div>
  )
}

function TorqueNote({ form, provider }: { form: CloudForm; provider: Provider }) {
  useWatch({ control: form.control, name: ['data.manager', 'stack_id'] })
  const onSlurm = () => form.setValue('data.manager', 'slurm', { shouldDirty: true })
  return useLacksTorque(provider, form.getValues()) ? <NoTorqueInCluster onSlurm={onSlurm} /> : null
}

function Disks({ form, provider }: { form: CloudForm; provider: Provider }) {
  const { field, fieldState } = useController({ control: form.control, name: 'data.disks' })
  const types = provider.clusterFields.find(({ path }) => path === 'data.server.disk_type')?.choices ?? []
  const errorAt = (path: string): string | undefined => {
    const message = valueAt(fieldState.error, path === '' ? 'message' : `${path}.message`)
    return typeof message === 'string' ? message : undefined
  }
  return (
    <DiskRows
      disks={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      types={types}
      errorAt={errorAt}
    />
  )
}
