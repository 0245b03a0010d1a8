import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRef } from 'react'
import { session } from './store'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'

/**
 * Asks before unsaved changes are lost, inside the console and when the window is closed. `leave` skips the next check,
 * for navigation after saving. `onBack` gets the browser's Back first, and returns whether it went back inside the page.
 */
export function useLeaveGuard(
  dirty: boolean,
  onBack: () => boolean = () => false,
): { leave: () => void; dialog: ReactNode } {
  const passing = useRef(false)
  useBlocker({
    shouldBlockFn: ({ action }) => action === 'BACK' && onBack(),
    enableBeforeUnload: false,
  })
  // An ended session cannot save anything.
  const holds = () => dirty && !passing.current && session.get().status === 'in'
  const blocker = useBlocker({
    // An open file is part of the search, so leaving it may change nothing else.
    shouldBlockFn: ({ current, next }) => holds() && addressOf(current) !== addressOf(next),
    enableBeforeUnload: holds,
    withResolver: true,
  })
  return {
    leave: () => {
      passing.current = true
    },
    dialog: blocker.status === 'blocked' && (
      <ConfirmDialog
        open
        onClose={blocker.reset}
        title="Leave without saving?"
        confirmLabel="Leave"
        onConfirm={blocker.proceed}
      >
        <p>Your changes on this page will be lost.</p>
      </ConfirmDialog>
    ),
  }
}

const addressOf = ({ pathname, search }: { pathname: string; search: object }): string =>
  pathname + JSON.stringify(search)
