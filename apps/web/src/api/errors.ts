import { toApiError } from './api-error'
import { createStore } from '../store'

/** The message of the open ERROR dialog. */
export const shownError = createStore<string | null>(null)

/** Opens the ERROR dialog. A call that was only taken back has nothing to say. */
export function showError(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  const { message, code } = toApiError(error)
  // The session's own end is told by its notice.
  if (code === 'session_ended' || code === 'session_expired' || code === 'no_session') return
  shownError.set(message)
}
