import type { AppSession } from '@flotilla/contract/apps/sessions'
import { ProgressBar } from '../ui/feedback/progress-bar'

/** What a session that is not ready is waiting for. */
export function SessionProgress({ session }: { session: AppSession }) {
  const { state, reason, cluster, nodeList } = session
  return state === 'queued' ? (
    <ProgressBar label={`Waiting for ${cluster.name || 'the cluster'}`} detail={reason ?? 'In the queue'} />
  ) : (
    <ProgressBar
      label="Starting"
      detail={`Running on ${nodeList ?? cluster.name}. Waiting for the app to answer.`}
    />
  )
}
