import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '@flotilla/contract/apps/apps'
import type { Caller, RequestContext } from '../../../http/caller'
import type { AppSessions } from './sessions'

/** Short, because a user waits for the result. */
const READY_MS = 60_000
const POLL_MS = 1000

/** Starts an app as a user would, and ends it once it is ready. Returns the problem, or null. */
export async function tryOut(
  sessions: AppSessions,
  { app, cluster }: { app: Pick<App, 'id' | 'name'>; cluster: string },
  me: Caller,
  context: RequestContext,
): Promise<string | null> {
  const { id } = await sessions.launch(me, { app: app.id, cluster, values: {} }, context)
  try {
    for (const deadline = Date.now() + READY_MS; ; await pause(POLL_MS)) {
      const { state, reason } = await sessions.view(me, id)
      if (state === 'ready') return null
      const why = reason === null ? '' : `: ${reason}`
      if (state === 'ended') return `${app.name} ended before it was ready${why}`
      if (Date.now() > deadline)
        return state === 'queued'
          ? `${app.name} was still waiting for a node after a minute${why}`
          : `${app.name} was not ready after a minute${why}`
    }
  } finally {
    // Fails if the session has ended already.
    await sessions.end(me, id, context).catch(() => {})
  }
}
