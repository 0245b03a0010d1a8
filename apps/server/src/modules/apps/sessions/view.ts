import { appIcons } from '@flotilla/contract/apps/apps'
import type { AppSession } from '@flotilla/contract/apps/sessions'
import type { Caller } from '../../../http/caller'
import type { FoundSession } from '../store'

/**
 * A launch writes the session before it submits the job. After this time without a submission, the launch has failed.
 */
const SUBMIT_MS = 2 * 60_000
const UNSENT = 'The console stopped before the job was submitted'

/** A session with the submission that runs it. */
export type RunningSession = FoundSession & {
  submission_id: string
  cluster_name: string
  submitted_by: string
  run_as_admin: boolean
  folder: string
}
export const isSubmitted = (row: FoundSession): row is RunningSession => row.submission_id !== null

export function stateOf(row: FoundSession, now: number): AppSession['state'] {
  if (!isSubmitted(row)) return now - row.created_at.getTime() < SUBMIT_MS ? 'queued' : 'ended'
  if (row.ended_at !== null) return 'ended'
  if (row.state !== 'running') return 'queued'
  return row.ready_at === null ? 'starting' : 'ready'
}

export function asSession(row: FoundSession, me: Pick<Caller, 'id'>, now: number): AppSession {
  const state = stateOf(row, now)
  const startedAt = row.started_at?.getTime() ?? null
  const endsAt = startedAt === null ? null : startedAt + row.limit_s * 1000
  const endedAt = row.ended_at?.getTime() ?? null
  const timeIsUp = endsAt !== null && endedAt !== null && endedAt >= endsAt - 1000
  return {
    id: row.id,
    app: {
      id: row.app_id,
      name: row.app_name,
      icon: appIcons.find((icon) => icon === row.icon) ?? 'app',
    },
    cluster: { id: row.cluster_id, name: row.cluster_name ?? '' },
    owner: row.owner,
    mine: row.owner_id === me.id,
    collaborators: row.collaborators.map(({ username }) => username),
    state,
    reason: state === 'ended' && !isSubmitted(row) ? UNSENT : row.reason,
    failed: state === 'ended' && !timeIsUp && row.state !== 'completed' && row.state !== 'canceled',
    jobId: row.job_id,
    submittedAt: (row.submitted_at ?? row.created_at).getTime(),
    startedAt,
    readyAt: row.ready_at?.getTime() ?? null,
    endedAt,
    endsAt,
    nodeList: row.node_list,
  }
}
