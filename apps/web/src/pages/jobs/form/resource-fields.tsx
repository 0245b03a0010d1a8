import { useWatch } from 'react-hook-form'
import { NumberField, TextField } from '../../../forms/fields/fields'
import { Card } from '../../../ui/layout/card'
import { totalText } from '../resources'
import { validJob, type JobFormState } from './job-form'

export function ResourceFields({ form }: { form: JobFormState }) {
  return (
    <Card title="Resources" footer={<Total form={form} />}>
      <div className="grid grid-cols-2 gap-4">
        <NumberField form={form} name="data.nodes" label="Nodes" min={1} step={1} inputMode="numeric" />
        <NumberField
          form={form}
          name="data.cores"
          label="Cores per node"
          min={1}
          step={1}
          inputMode="numeric"
        />
        <NumberField
          form={form}
          name="data.gpus"
          label="GPUs per node"
          min={0}
          step={1}
          inputMode="numeric"
        />
        <TextField
          form={form}
          name="data.walltime"
          label="Wall time"
          mono
          spellCheck={false}
          autoComplete="off"
          placeholder="01:00:00"
          className="wrap-anywhere"
        />
        <TextField
          form={form}
          name="data.array"
          label="Array tasks"
          optional
          mono
          hint="Runs the script once for each number, such as 1-10 or 1,3,5. 1-10%4 runs four at a time."
          spellCheck={false}
          autoComplete="off"
          className="col-span-2"
        />
      </div>
    </Card>
  )
}

/** The total resources in one sentence. */
function Total({ form }: { form: JobFormState }) {
  const data = useWatch({ control: form.control, name: 'data' })
  // The script is replaced, so that an incomplete script does not hide the total.
  const job = validJob({ name: 'job', data: { ...data, script: 'true' } })
  return (
    <p className="w-full text-label text-ink-2" role="status">
      {job ? totalText(job.data) : 'Fix the highlighted fields to see the total.'}
    </p>
  )
}
