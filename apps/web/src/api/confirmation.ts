import { session } from '../session/store'
import { createStore } from '../store'
import { ApiError } from '@flotilla/client/api-error'

type PasswordPrompt = { confirmed: () => void; cancel: () => void }

/** Set while a dialog asks for the password. */
export const passwordPrompt = createStore<PasswordPrompt | null>(null)

/** The user closed the dialog, so there is nothing to report: without a message, no form or dialog shows it. */
const canceled = () => new ApiError({ status: 403, code: 'confirm_needed', message: '' })

let pending: Promise<void> | null = null

/** Resolves when the user has confirmed their password; rejects when they cancel. Concurrent calls share one dialog. */
export function confirmPassword(): Promise<void> {
  pending ??= prompt().finally(() => {
    pending = null
    passwordPrompt.set(null)
  })
  return pending
}

async function prompt(): Promise<void> {
  let stop = () => {}
  try {
    await new Promise<void>((confirmed, reject) => {
      const cancel = () => reject(canceled())
      // The next user must not be asked to confirm the previous user's call.
      stop = session.subscribe(() => {
        if (session.get().status !== 'in') cancel()
      })
      passwordPrompt.set({ confirmed, cancel })
    })
  } finally {
    stop()
  }
}
