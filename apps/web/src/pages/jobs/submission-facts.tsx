import type { Submission } from '@flotilla/contract/jobs/jobs'
import { isOver } from '../../submit/is-over'
import { stateLabel } from '../../submit/submission-state'
import { RelativeTime } from '../../ui/text/relative-time'
import { useTicking } from '../../ui/text/use-now'
import { durationText, ranMs, reasonOf, usageText, waitedMs } from './submission-text'

/** A one-line summary of the displayed submission, with the reason why it waits or failed. */
export function SubmissionFacts({ submission }: { submission: Submission }) {
  const { state, exitCode, nodeList, nativeId, cluster, submittedBy } = submission
  const reason = reasonOf(submission)
  const lasting = useTicking((now) => {
    const ran = ranMs(submission, now)
    if (!isOver(state)) return `for ${durationText(ran ?? waitedMs(submission, now))}`
    return ran === null ? `waited ${durationText(waitedMs(submission, now))}` : `ran ${durationText(ran)}`
  })
  const facts = [
    `${stateLabel(state)} on ${cluster.name}`,
    lasting,
    exitCode === null ? null : `exit code ${exitCode}`,
    nodeList,
    usageText(submission.usage) || null,
    nativeId === null ? null : `job ${nativeId}`,
    submission.runAsAdmin ? 'as admin' : null,
  ]
  return (
    <>
      <span className="block">
        {facts.filter(Boolean).join(' · ')} · submitted <RelativeTime at={submission.submittedAt} /> by{' '}
        {submittedBy}
      </span>
      {reason && <span className="mt-0.5 block font-medium text-ink-1">{reason}</span>}
    </>
  )
}
