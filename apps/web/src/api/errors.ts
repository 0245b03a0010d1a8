import { toApiError } from '@flotilla/client/api-error'
import { createStore } from '../store'

/** An action that resolves an error, offered as a button in the ERROR dialog. */
export type Offer = { label: string; run: () => void }
/** The content of the open ERROR dialog. */
export type ShownError = { message: string; publicKey?: string | undefined; offer?: Offer | undefined }
export const shownError = createStore<ShownError | null>(null)

/** Opens the ERROR dialog; `lead` precedes the reason. An aborted call shows nothing. */
export function showError(
  error: unknown,
  { offer, lead }: { offer?: Offer | undefined; lead?: string | undefined } = {},
): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  const { message, code, publicKey } = toApiError(error)
  // Canceled by the user.
  if (message === '') return
  // The end of the session has its own notice.
  if (code === 'session_ended' || code === 'session_expired' || code === 'no_session') return
  shownError.set({ message: lead === undefined ? message : `${lead}: ${message}`, publicKey, offer })
}
