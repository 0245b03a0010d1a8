import { useBlocker, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { session } from './store'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'

/**
 * Asks before unsaved changes are lost, inside the console and when the window is closed. `leave` skips the next
 * check, for navigation after saving. `backInside` handles the browser's Back first: if it returns a function, that
 * runs instead of leaving the page.
 */
export function useLeaveGuard(
  dirty: boolean,
  backInside: () => (() => void) | undefined = () => undefined,
): { leave: () => void; dialog: ReactNode } {
  const passing = useRef(false)
  const { history: entries } = useRouter()
  const stopWaiting = useRef(() => {})
  useEffect(() => () => stopWaiting.current(), [])
  useBlocker({
    shouldBlockFn: ({ action }) => {
      const goBack = action === 'BACK' ? backInside() : undefined
      // The browser is already at the previous page, and `goBack` may run only when it has returned to this one.
      if (goBack) stopWaiting.current = onceAt(entries.location.state.__TSR_index, goBack)
      return goBack !== undefined
    },
    enableBeforeUnload: false,
  })
  // An ended session cannot save anything.
  const holds = () => dirty && !passing.current && session.get().status === 'in'
  const blocker = useBlocker({
    // An open file is part of the search, so leaving it may change only the search.
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

/**
 * Runs a function when the browser has returned to an entry of its history; returns a function that cancels this. A
 * second Back that was pressed meanwhile is also undone, because the next one would leave the page without asking.
 */
function onceAt(entry: number, then: () => void): () => void {
  const check = () => {
    const { state } = window.history as { state: { __TSR_index?: number } | null }
    const away = entry - (state?.__TSR_index ?? entry)
    if (away !== 0) return window.history.go(away)
    stop()
    then()
  }
  const stop = () => removeEventListener('popstate', check)
  addEventListener('popstate', check)
  return stop
}

const addressOf = ({ pathname, search }: { pathname: string; search: object }): string =>
  pathname + JSON.stringify(search)
