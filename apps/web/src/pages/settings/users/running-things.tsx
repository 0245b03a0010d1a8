import { countText } from '@flotilla/contract/count-text'
import type { RunningItem } from '@flotilla/contract/people/users'
import { useId } from 'react'
import { Callout } from '../../../ui/feedback/callout'
import { RadioCards } from '../../../ui/form/radio-cards'

export type Jobs = 'cancel' | 'handOver'
const jobChoices = [
  { value: 'cancel', label: 'Cancel their jobs' },
  { value: 'handOver', label: 'Let their jobs finish for the new owner' },
] as const
const shownKind: Record<RunningItem['kind'], string> = { job: 'Job', app: 'App', desktop: 'Desktop' }

/** One line per job, app or desktop. A job that is queued several times has one line with the number. */
export function listed(running: readonly RunningItem[]): string[] {
  const counts = new Map<string, number>()
  for (const { kind, name, cluster } of running) {
    const text = `${kind === 'desktop' ? shownKind[kind] : `${shownKind[kind]} ${name}`} on ${cluster}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts].map(([text, count]) => (count > 1 ? `${text} (${count})` : text))
}

interface RunningProps {
  running: RunningItem[]
  home: string | null
  jobs: Jobs | null
  onJobs: (jobs: Jobs) => void
}

/** Everything a user is running, with the choice to let jobs finish or cancel them. Apps and desktops end. */
export function RunningThings({ running, home, jobs, onJobs }: RunningProps) {
  const name = useId()
  const ending = running.filter(({ kind }) => kind !== 'job')
  return (
    <>
      {running.length > 0 && (
        <Callout tone="amber" title={`${countText(running.length, 'item')} running or queued`}>
          <ul className="max-h-40 list-disc overflow-y-auto pl-4">
            {listed(running).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          {ending.length > 0 && <p className="mt-1">Apps and desktops end now.</p>}
        </Callout>
      )}
      {running.length > ending.length && (
        <RadioCards
          legend="Running and queued jobs"
          name={name}
          columns={1}
          value={jobs}
          onChange={onJobs}
          options={jobChoices}
        />
      )}
      {home !== null && (
        <p className="text-body text-ink-2">
          Their home directory stays on the server: <code className="font-mono break-all">{home}</code>
        </p>
      )}
    </>
  )
}
