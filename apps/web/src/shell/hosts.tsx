import { NOTICE_HIDE_MS } from '@flotilla/contract/limits'
import { Suspense, lazy, useSyncExternalStore } from 'react'
import { thankYou, useSession } from '../session/store'
import { useStore } from '../store'
import { notices } from '../ui/feedback/notices-store'
import { passwordPrompt } from '../api/confirmation'
import { shownError } from '../api/errors'

const Notices = lazy(async () => ({ default: (await import('../ui/feedback/notices')).Notices }))
const Dialogs = lazy(() => import('./dialogs/dialogs'))
const ConfirmPassword = lazy(() => import('./dialogs/confirm-password'))

/**
 * What can be opened from anywhere: notices, the ERROR dialog, the password dialog, the thank-you dialog. Each is
 * loaded on demand.
 */
export function Hosts() {
  const error = useStore(shownError)
  const thanks = useStore(thankYou)
  const isPasswordPrompted = useStore(passwordPrompt) !== null
  const loggedIn = useSession().status === 'in'
  const hasNotices = useSyncExternalStore(notices.subscribe, () => notices.shown().length > 0)
  return (
    <Suspense>
      {(loggedIn || hasNotices) && <Notices hideAfterMs={NOTICE_HIDE_MS} />}
      {isPasswordPrompted && <ConfirmPassword />}
      {(error !== null || thanks) && <Dialogs error={error} thanks={thanks} />}
    </Suspense>
  )
}
