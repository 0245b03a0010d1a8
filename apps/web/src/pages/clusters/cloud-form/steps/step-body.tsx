import { preselected, type Preselected } from '@flotilla/contract/clusters/preselected'
import type { Field as Description, Price, Provider } from '@flotilla/contract/clouds/providers'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { imageOfStack } from '@flotilla/contract/stacks/stack-choices'
import { useMemo, type ComponentProps } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { BasicFields, PeopleFields } from './basics'
import { DiskRows, errorsAt } from '../rows/disk-rows'
import type { CloudForm, CloudValues } from '../values/cloud-values'
import { useStacks } from '../use-stacks'
import { FieldSet } from '../../../../clouds/field-set'
import { useCredential, useRegion, useZone, type AnyForm } from '../../../../clouds/form-place'
import { useFieldError } from '../../../../forms/use-field-error'
import { makesNetwork, whenDeployed } from '../values/field-rules'
import type { Step } from '../values/field-rules'
import { GroupList } from '../rows/group-list'
import { IdleCost } from '../price/idle-cost'
import { NoTorqueInCluster, useLacksTorque } from './no-torque'
import { MountRows } from '../rows/mount-rows'
import { TagRows } from '../rows/tag-rows'

interface Props {
  form: CloudForm
  provider: Provider
  step: Step
  deployed: boolean
  /** Whether the cluster exists, so that its secrets are already stored. */
  stored: boolean
  price: Price | undefined
}

/** The fields of one step: the provider's own, surrounded by those that every cluster has. */
export function StepBody({ form, provider, step, deployed, stored, price }: Props) {
  const stack = useStack(form, provider)
  const fields = provider.clusterFields.filter((field) => field.step === step && !isDecided(field, stack))
  const sized = useMemo(() => withSizesOf(provider, stack), [provider, stack])
  const reasons = preselected(provider)
  const preselectedHint = (field: Pick<Description, 'path'>) => ({
    ...(!stored && preselectedReason(field, form.getValues(), reasons)),
    locked: false,
  })
  const untyped = form as unknown as AnyForm // Border: see AnyForm.
  const region = useRegion({ form: untyped, provider, of: 'cluster' })
  const zone = useZone({ form: untyped, provider, of: 'cluster' })
  const account = { credential: useCredential(untyped), region, zone }
  const hasDisks = !provider.refusals.some(({ path }) => path === 'data.disks')
  return (
    <div className="flex flex-col gap-5">
      {step === 'basics' && <BasicFields form={form} provider={provider} deployed={deployed} />}
      {step === 'nodes' && <GroupList form={form} provider={sized} />}
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
          {...{ form, fields, stored }}
          provider={sized}
          inUse={deployed ? whenDeployed : preselectedHint}
        />
      )}
      {/* Idle machines of a MAAS, which has no regions, cost nothing extra. */}
      {step === 'nodes' && provider.regions.length > 0 && <IdleCost form={form} price={price} />}
      {step === 'head' && hasDisks && <Disks {...{ form, provider, account }} />}
      {step === 'head' && <MountRows {...{ form, provider, account }} />}
      {step === 'basics' && <PeopleFields form={form} />}
      {step === 'advanced' && <TagRows form={form} />}
    </div>
  )
}

/** The chosen stack, if it is listed. */
function useStack(form: CloudForm, provider: Provider): Stack | undefined {
  const chosen = useWatch({ control: form.control, name: 'stack_id' })
  return useStacks(provider.id).find(({ id }) => id === chosen)
}

/** Whether the stack determines a field. The form then hides the field; the stack's own text names the value. */
const isDecided = ({ path }: Pick<Description, 'path'>, stack: Stack | undefined): boolean =>
  stack !== undefined &&
  (path === 'info.os-type' || (path === 'data.manager' && stack.data.manager !== 'none'))

/** Limits the provider to sizes that the stack's image supports. */
function withSizesOf(provider: Provider, stack: Stack | undefined): Provider {
  const arch = stack && imageOfStack({ ...stack.data, edited: stack.edited }, provider.instanceSizes).arch
  if (!arch) return provider
  return { ...provider, instanceSizes: provider.instanceSizes.filter((size) => size.arch === arch) }
}

/** Why a new cluster's value was preselected, as long as the user has not changed it. */
function preselectedReason(
  { path }: Pick<Description, 'path'>,
  { info, data }: CloudValues,
  { osType, manager, osReason, managerReason }: Preselected,
): { hint?: string } {
  if (path === 'info.os-type' && info['os-type'] === osType) return { hint: osReason }
  return path === 'data.manager' && data.manager === manager ? { hint: managerReason } : {}
}

function TorqueNote({ form, provider }: { form: CloudForm; provider: Provider }) {
  useWatch({ control: form.control, name: ['data.manager', 'stack_id'] })
  const onSlurm = () => form.setValue('data.manager', 'slurm', { shouldDirty: true })
  return useLacksTorque(provider, form.getValues()) ? <NoTorqueInCluster onSlurm={onSlurm} /> : null
}

type DisksProps = Omit<ComponentProps<typeof MountRows>, 'account'> &
  Pick<ComponentProps<typeof DiskRows>, 'account'>
function Disks({ form, provider, account }: DisksProps) {
  const { field } = useController({ control: form.control, name: 'data.disks' })
  const errors = useFieldError(form, 'data.disks')
  const types = provider.clusterFields.find(({ path }) => path === 'data.server.disk_type')?.choices ?? []
  return (
    <DiskRows
      disks={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      types={types}
      account={account}
      errorAt={errorsAt(errors)}
    />
  )
}
