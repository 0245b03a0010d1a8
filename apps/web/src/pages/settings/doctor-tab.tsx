import { doctor, type Finding } from '@flotilla/contract/site/doctor'
import { RefreshCw } from 'lucide-react'
import { useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { Card } from '../../ui/layout/card'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Status } from '../../ui/status/status'
import type { Tone } from '../../ui/status/tone'

const states: Record<Finding['state'], { label: string; tone: Tone }> = {
  found: { label: 'OK', tone: 'green' },
  missing: { label: 'Missing', tone: 'amber' },
  trouble: { label: 'Needs attention', tone: 'amber' },
}

/** The components that the console uses on its own machine, with instructions for missing ones. */
export function DoctorTab() {
  const findings = useApiQuery(doctor.view, {})
  return (
    <Card
      title="Installed components"
      description="A missing component affects only the features that need it. Everything else keeps working."
      actions={
        <Button icon={RefreshCw} onClick={() => void findings.refetch()} busy={findings.isFetching}>
          Check again
        </Button>
      }
    >
      <Async data={findings} skeleton={<SkeletonText lines={10} />}>
        {(all) => (
          <ul className="flex flex-col divide-y divide-line-1">
            {all.map((finding) => (
              <Row key={finding.part} finding={finding} />
            ))}
          </ul>
        )}
      </Async>
    </Card>
  )
}

function Row({ finding: { part, state, version, message, neededFor, advice } }: { finding: Finding }) {
  const { label, tone } = states[state]
  return (
    <li className="grid items-start gap-x-4 gap-y-1 py-3 lg:grid-cols-[220px_140px_minmax(0,1fr)]">
      <h3 className="font-medium text-ink-1">
        {part} {version !== null && <span className="font-normal text-ink-3">{version}</span>}
      </h3>
      <Status tone={tone}>{label}</Status>
      <div className="flex min-w-0 flex-col gap-1 text-body wrap-anywhere text-ink-2">
        <p>{message}</p>
        <p className="text-label text-ink-3">Needed for {neededFor}.</p>
        {advice.length > 0 && (
          <ul className="list-disc pl-5 text-label">
            {advice.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}
