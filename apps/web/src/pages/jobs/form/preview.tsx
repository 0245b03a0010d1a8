import { managerNames, type Manager } from '@flotilla/contract/clusters/inputs'
import { directiveNotes } from '@flotilla/contract/jobs/directives'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { useWatch } from 'react-hook-form'
import { useApiQuery } from '../../../api/query'
import { CodeEditor } from '../../../editor/code-editor'
import { Async } from '../../../ui/async'
import { Card } from '../../../ui/card'
import { SkeletonText } from '../../../ui/skeleton'
import { Tabs } from '../../../ui/tabs'
import { validJob, type JobFormState, type JobValues } from './job-form'
import { ScriptNotes } from './script-notes'
import { useDebounced } from '../../../ui/use-debounced'

const DEBOUNCE_MS = 400
/** The most common first. */
const order: readonly Manager[] = ['slurm', 'torque', 'none']
const labels: Record<Manager, string> = { ...managerNames, none: 'Built-in' }

/** The real thing: made by the same code that submits. */
export function Preview({ form }: { form: JobFormState }) {
  const values = useWatch({ control: form.control })
  // What is watched has all fields: the form begins with all of them.
  const job = validJob({ ...form.getValues(), ...values } as JobValues)
  const text = useDebounced(job ? JSON.stringify(job) : null, DEBOUNCE_MS)
  return (
    <Card title="Submitted script" description="The script that each resource manager receives.">
      {text === null ? (
        <p className="text-body text-ink-2">To see it, enter a script and fix the highlighted fields.</p>
      ) : (
        <Tabs
          label="Resource manager"
          tabs={order.map((manager) => ({
            id: manager,
            label: labels[manager],
            // Its own text of a moment ago, parsed back.
            content: <Submitted job={JSON.parse(text) as JobValues} manager={manager} />,
          }))}
        />
      )}
    </Card>
  )
}

function Submitted({ job, manager }: { job: JobValues; manager: Manager }) {
  const preview = useApiQuery(
    jobs.preview,
    { body: job, beside: { manager } },
    { keepPrevious: true, staleTime: 60_000 },
  )
  return (
    <div className="flex flex-col gap-3">
      <ScriptNotes
        label={`Directives on ${labels[manager]}`}
        notes={directiveNotes(job, job.data.script, manager)}
      />
      <Async data={preview} skeleton={<SkeletonText lines={6} />}>
        {({ script }) => (
          <CodeEditor
            label={`Script for ${labels[manager]}`}
            value={script}
            readOnly
            language="shell"
            className="h-72"
          />
        )}
      </Async>
    </div>
  )
}
