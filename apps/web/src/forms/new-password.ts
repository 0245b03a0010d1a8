import { messages } from '@flotilla/contract/messages'
import { NewPassword } from '@flotilla/contract/people/users'
import * as z from 'zod/mini'

/** Any form that asks for a new password asks for it twice; the second one never leaves the page. */
export const repeated = { password: NewPassword, confirmPassword: z.string() }

/** Said beneath the second field, also while another field is still wrong. */
export const samePassword = z.refine<{ password: string; confirmPassword: string }>(
  ({ password, confirmPassword }) => password === confirmPassword,
  { error: messages.passwordsDiffer, path: ['confirmPassword'], when: () => true },
)
