import { managerNames, PATHS_BY_ADMIN } from '@flotilla/contract/clusters/inputs'
import { Laptop, Network } from 'lucide-react'
import { useController, useWatch } from 'react-hook-form'
import { RadioField } from '../../../forms/choice-fields'
import { NumberField, TextField } from '../../../forms/fields'
import { RadioCards } from '../../../ui/radio-cards'
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
    // The built-in executor does not go along to another machine.
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
          description: 'Where the console itself runs: for a first try, a workstation, or a head node.',
          disabledReason: mayUseThisMachine ? null : 'Only an admin attaches the console’s own machine',
        },
        {
          value: 'ssh',
          label: 'A head node by SSH',
          icon: Network,
          description: 'A cluster that exists already and runs Slurm or Torque.',
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
            description: 'Nothing to install: jobs run on shares of this machine.',
            disabledReason: transport === 'ssh' ? 'Runs on the console’s own machine only' : null,
          },
          { value: 'slurm', label: managerNames.slurm, description: 'sbatch, squeue and sinfo are there.' },
          { value: 'torque', label: managerNames.torque, description: 'qsub, qstat and pbsnodes are there.' },
        ]}
      />
      {manager === 'none' ? (
        <fieldset className="flex min-w-0 flex-col gap-1.5">
          <legend className="mb-1.5 text-body font-medium">Virtual nodes</legend>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            <NumberField form={form} name="data.virtualNodes.count" label="Nodes" min={1} max={64} />
            <NumberField form={form} name="data.virtualNodes.cores" label="Cores each" min={1} />
            <NumberField form={form} name="data.virtualNodes.gpus" label="GPUs each" min={0} />
            <TextField form={form} name="data.virtualNodes.prefix" label="Name prefix" mono />
          </div>
          <p className="text-label text-ink-3">
            Each is a share of the machine: together they should not have more cores than it has.
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
              hint="Where jobs go that name none; empty for the site's default."
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
                hint={isAdmin ? 'Only when it is not in its usual place.' : `${PATHS_BY_ADMIN}.`}
              />
            )}
            {transport === 'ssh' && (
              <TextField
                form={form}
                name="data.head.binFolder"
                label="Folder of the commands"
                optional
                mono
                placeholder="/opt/slurm/bin"
                disabled={!isAdmin}
                hint={isAdmin ? 'Only when they are not on the PATH.' : `${PATHS_BY_ADMIN}.`}
              />
            )}
          </div>
        </details>
      )}
    </div>
  )
}
