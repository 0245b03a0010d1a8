import { managerNames, PATHS_BY_ADMIN } from '@flotilla/contract/clusters/inputs'
import { Laptop, Network } from 'lucide-react'
import { useController, useWatch } from 'react-hook-form'
import { RadioField } from '../../../forms/fields/choice-fields'
import { NumberField, TextField } from '../../../forms/fields/fields'
import { RadioCards } from '../../../ui/form/radio-cards'
import type { ClusterFormState } from './form-state'

export function WhereField({
  form,
  mayUseThisMachine,
}: {
  form: ClusterFormState
  mayUseThisMachine: boolean
}) {
  const { field } = useController({ control: form.control, name: 'data.transport' })
  const choose = (transport: 'local' | 'ssh') => {
    field.onChange(transport)
    // The built-in executor is not available on another machine.
    if (transport === 'ssh' && form.getValues('data.manager') === 'none')
      form.setValue('data.manager', 'slurm')
  }
  return (
    <RadioCards
      legend="Machines"
      hideLegend
      name={field.name}
      value={field.value}
      onChange={choose}
      onBlur={field.onBlur}
      options={[
        {
          value: 'local',
          label: 'This machine',
          icon: Laptop,
          description:
            'The machine the console runs on. Good for trying the console out, a workstation or a head node.',
          disabledReason: mayUseThisMachine ? null : 'Only an admin can attach the console’s own machine',
        },
        {
          value: 'ssh',
          label: 'A head node over SSH',
          icon: Network,
          description: 'An existing cluster that runs Slurm or Torque.',
        },
      ]}
    />
  )
}

export function ManagerFields({ form, isAdmin }: { form: ClusterFormState; isAdmin: boolean }) {
  const transport = useWatch({ control: form.control, name: 'data.transport' })
  const manager = useWatch({ control: form.control, name: 'data.manager' })
  return (
    <div className="flex flex-col gap-4">
      <RadioField
        form={form}
        name="data.manager"
        label="Resource manager"
        hideLabel
        columns={3}
        options={[
          {
            value: 'none',
            label: managerNames.none,
            description: 'Nothing to install. Divides this machine into virtual nodes.',
            disabledReason: transport === 'ssh' ? 'Runs only on the console’s own machine' : null,
          },
          { value: 'slurm', label: managerNames.slurm, description: 'Uses sbatch, squeue and sinfo.' },
          { value: 'torque', label: managerNames.torque, description: 'Uses qsub, qstat and pbsnodes.' },
        ]}
      />
      {manager === 'none' ? (
        <fieldset className="flex min-w-0 flex-col gap-1.5">
          <legend className="mb-1.5 text-body font-medium">Virtual nodes</legend>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            <NumberField form={form} name="data.virtualNodes.count" label="Nodes" min={1} max={64} />
            <NumberField form={form} name="data.virtualNodes.cores" label="Cores per node" min={1} />
            <NumberField form={form} name="data.virtualNodes.gpus" label="GPUs per node" min={0} />
            <TextField form={form} name="data.virtualNodes.prefix" label="Name prefix" mono />
          </div>
          <p className="text-label text-ink-3">
            Each node is a slice of the machine. Together, the nodes should not have more cores than the
            machine.
          </p>
        </fieldset>
      ) : (
        <details className="group rounded-control border border-line-1">
          <summary className="px-3 py-2 text-body font-medium">More</summary>
          <div className="flex flex-col gap-4 border-t border-line-1 p-3">
            <TextField
              form={form}
              name="data.partition"
              label={manager === 'slurm' ? 'Partition' : 'Queue'}
              optional
              mono
              hint="Used for jobs that don’t specify one. Leave empty for the cluster’s default."
            />
            {manager === 'slurm' && (
              <TextField
                form={form}
                name="data.slurmConf"
                label="slurm.conf"
                optional
                mono
                placeholder="/etc/slurm/slurm.conf"
                disabled={!isAdmin}
                hint={isAdmin ? 'Only if it is not in the default location.' : `${PATHS_BY_ADMIN}.`}
              />
            )}
            {transport === 'ssh' && (
              <TextField
                form={form}
                name="data.head.binFolder"
                label="Command folder"
                optional
                mono
                placeholder="/opt/slurm/bin"
                disabled={!isAdmin}
                hint={isAdmin ? 'Only if the commands are not on the PATH.' : `${PATHS_BY_ADMIN}.`}
              />
            )}
          </div>
        </details>
      )}
    </div>
  )
}
