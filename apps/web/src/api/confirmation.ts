import { session } from '../session/store'
import { createStore } from '../store'
import { ApiError } from '@flotilla/client/api-error'

type PasswordPrompt = { confirmed: () => void; cancel: () => void }

/** Set while a dialog asks for the password. */
export const passwordPrompt = createStore<PasswordPrompt | null>(null)

/** The person closed the dialog, so there is nothing to tell them: without a text, no form and no dialog shows it. */
const canceled = () => new ApiError({ status: 403, code: 'confirm_needed', message: '' })

let pending: Promise<void> | null = null

/** Resolves when the person has confirmed their password; rejects when they cancel. Calls at once share one dialog. */
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
      // Whoever logs in next is not asked what somebody else was.
      stop = session.subscribe(() => {
        if (session.get().status !== 'in') cancel()
      })
      passwordPrompt.set({ confirmed, cancel })
    })
  } finally {
    stop()
  }
}
