import { activities, type AuditVerification } from '@flotilla/contract/people/activities'
import { countText } from '@flotilla/contract/count-text'
import { ShieldCheck } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { RelativeTime } from '../../../ui/text/relative-time'

const REFRESH_MS = 10_000
const WAITING_REFRESH_MS = 500
const WAITING_MAX_MS = 60_000

/** The result of the last verification: one line if it passed, an alert otherwise. */
export function Verification({ actions }: { actions: ReactNode }) {
  /** The time of the current result, while a requested verification has not replaced it. */
  const [replacing, setReplacing] = useState<AuditVerification['checkedAt']>()
  const waiting = replacing !== undefined
  const { data } = useApiQuery(
    activities.verification,
    {},
    { everyMs: waiting ? WAITING_REFRESH_MS : REFRESH_MS },
  )
  const verify = useApiMutation(activities.verify, { success: 'The audit trail is being verified' })
  if (!data) return null
  if (waiting && data.checkedAt !== replacing) setReplacing(undefined)
  const wait = () => {
    setReplacing(data.checkedAt)
    // A large trail may take longer. Its result then appears with the regular refresh.
    setTimeout(() => setReplacing(undefined), WAITING_MAX_MS)
  }
  const begin = () => verify.mutate({}, { onSuccess: wait })
  return (
    <div className="flex flex-col gap-3">
      {data.problem && (
        <Callout tone="red" alert title="The audit trail was tampered with, or is damaged">
          <p>{data.problem.text}.</p>
          <p>
            Intact before that: {countText(data.records, 'record')}. Compare the database with a backup, and
            find out who could write to it.
          </p>
        </Callout>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-body text-ink-2">
          <Summary {...data} />
        </p>
        <div className="flex gap-2">
          {actions}
          <Button icon={ShieldCheck} busy={verify.isPending || waiting} onClick={begin}>
            Verify now
          </Button>
        </div>
      </div>
    </div>
  )
}

function Summary({ checkedAt, records, problem }: AuditVerification) {
  if (checkedAt === null)
    return <>Verified every day, which reveals changed or removed records. Not verified yet.</>
  return (
    <>
      {problem ? 'Verified ' : `Intact: ${countText(records, 'record')}, verified `}
      <RelativeTime at={checkedAt} />.
    </>
  )
}
