import { session } from '../session/store'
import { createStore } from '../store'
import { ApiError } from '@flotilla/client/api-error'

type AskedPassword = { confirmed: () => void; cancel: () => void }

/** Set while a dialog asks for the password. */
export const askedPassword = createStore<AskedPassword | null>(null)

/** The person closed the dialog, so there is nothing to tell them: without a text, no form and no dialog shows it. */
const canceled = () => new ApiError({ status: 403, code: 'confirm_needed', message: '' })

let asking: Promise<void> | null = null

/** Resolves when the person has confirmed their password; rejects when they cancel. Calls at once share one dialog. */
export function confirmPassword(): Promise<void> {
  asking ??= ask().finally(() => {
    asking = null
    askedPassword.set(null)
  })
  return asking
}

async function ask(): Promise<void> {
  let stop = () => {}
  try {
    await new Promise<void>((confirmed, reject) => {
      const cancel = () => reject(canceled())
      // Whoever logs in next is not asked what somebody else was.
      stop = session.subscribe(() => {
        if (session.get().status !== 'in') cancel()
      })
      askedPassword.set({ confirmed, cancel })
    })
  } finally {
    stop()
  }
}
