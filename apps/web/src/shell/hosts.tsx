import { NOTICE_HIDE_MS } from '@flotilla/contract/limits'
import { Suspense, lazy, useEffect, useSyncExternalStore } from 'react'
import { thankYou, useSession } from '../session/store'
import { useStore } from '../store'
import { notices } from '../ui/feedback/notices-store'
import { passwordPrompt } from '../api/confirmation'
import { shownError } from '../api/errors'

const Notices = lazy(async () => ({ default: (await import('../ui/feedback/notices')).Notices }))
const loadDialogs = () => import('./dialogs/dialogs')
const Dialogs = lazy(loadDialogs)
const ConfirmPassword = lazy(() => import('./dialogs/confirm-password'))

/**
 * Everything that can be opened from anywhere: notices, the ERROR dialog, the password dialog, the thank-you dialog.
 * Each is loaded on demand.
 */
export function Hosts() {
  const error = useStore(shownError)
  const thanks = useStore(thankYou)
  const isPasswordPrompted = useStore(passwordPrompt) !== null
  const loggedIn = useSession().status === 'in'
  const hasNotices = useSyncExternalStore(notices.subscribe, () => notices.shown().length > 0)
  useDialogsAhead()
  return (
    <Suspense>
      {(loggedIn || hasNotices) && <Notices hideAfterMs={NOTICE_HIDE_MS} />}
      {isPasswordPrompted && <ConfirmPassword />}
      {(error !== null || thanks) && <Dialogs error={error} thanks={thanks} />}
    </Suspense>
  )
}

/** Loads the dialogs in advance: a server that does not respond could not deliver the ERROR dialog. */
function useDialogsAhead(): void {
  useEffect(() => {
    const ahead = () => void loadDialogs().catch(() => {})
    const events = ['pointerdown', 'keydown'] as const
    for (const event of events) addEventListener(event, ahead, { once: true })
    return () => events.forEach((event) => removeEventListener(event, ahead))
  }, [])
}
