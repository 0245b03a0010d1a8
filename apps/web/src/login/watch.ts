import { COUNTDOWN_TICK_MS } from '@flotilla/contract/limits'
import { activityEvents, isIdle, lastActivity, lastCountedCall, noteActivity } from '../session/activity'
import { due } from '../session/due'
import { leave, refreshSession } from './session'
import { session } from '../session/store'
import { readToken } from '../session/token'

/** After a refresh that did not reach the server. */
const RETRY_MS = 10_000

/** Keeps the session fresh, and ends it when it is over or idle. Runs while the user is logged in. */
export function watchSession(idleMs: number): () => void {
  let notBefore = 0

  const refresh = (repeat: boolean) => {
    notBefore = Date.now() + RETRY_MS
    refreshSession({ repeat }).then(
      () => (notBefore = 0),
      () => undefined,
    )
  }

  const tick = () => {
    const state = session.get()
    if (state.status !== 'in') return
    const now = Date.now()
    const what = due({
      now,
      idleMs,
      lastActivity: lastActivity(),
      lastCountedCall: lastCountedCall(),
      endTime: state.user.endTime,
      tokenReceivedAt: state.tokenReceivedAt,
      tokenLifeMs: readToken(state.token).lifeMs,
    })
    if (what === 'timeUp' || what === 'idle') leave(what)
    else if (what && now >= notBefore) refresh(what === 'quietRefresh')
  }

  // The first activity after a long absence (a laptop that slept) must not revive an expired session.
  const active = () => {
    if (session.get().status !== 'in') return
    const now = Date.now()
    if (isIdle(now, idleMs, lastActivity())) tick()
    else noteActivity(now)
  }

  const timer = setInterval(tick, COUNTDOWN_TICK_MS)
  for (const event of activityEvents) addEventListener(event, active, { passive: true, capture: true })
  return () => {
    clearInterval(timer)
    for (const event of activityEvents) removeEventListener(event, active, { capture: true })
  }
}
