import { messages } from '@flotilla/contract/messages'
import { NewPassword } from '@flotilla/contract/people/account-fields'
import * as z from 'zod/mini'

/** Every form for a new password asks for it twice; the confirmation is never sent. */
export const repeated = { password: NewPassword, confirmPassword: z.string() }

/** Shown below the second field, even while another field is invalid. */
export const samePassword = z.refine<{ password: string; confirmPassword: string }>(
  ({ password, confirmPassword }) => password === confirmPassword,
  { error: messages.passwordsDiffer, path: ['confirmPassword'], when: () => true },
)
