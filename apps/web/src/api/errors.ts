import { toApiError } from '@flotilla/client/api-error'
import { createStore } from '../store'

/** A way out that the ERROR dialog has a button for. */
export type Offer = { label: string; run: () => void }
/** What the open ERROR dialog says. */
export type ShownError = { message: string; offer?: Offer | undefined }
export const shownError = createStore<ShownError | null>(null)

/** Opens the ERROR dialog; `lead` stands before the reason. A call that was only taken back has nothing to say. */
export function showError(
  error: unknown,
  { offer, lead }: { offer?: Offer | undefined; lead?: string | undefined } = {},
): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  const { message, code } = toApiError(error)
  // Canceled by the person themselves.
  if (message === '') return
  // The session's own end is told by its notice.
  if (code === 'session_ended' || code === 'session_expired' || code === 'no_session') return
  shownError.set({ message: lead === undefined ? message : `${lead}: ${message}`, offer })
}
