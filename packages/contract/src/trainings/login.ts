import * as z from 'zod/mini'
import { text } from '../clusters/inputs'
import { Email } from '../email'
import { post } from '../endpoint'
import { CODE_DIGITS } from '../limits'
import { Done, Id, Time } from '../lists'
import { messages } from '../messages'
import { LoggedIn } from '../people/auth'

const FullName = text(128).check(z.minLength(1, 'Enter your full name'))
const SessionCode = z
  .string()
  .check(z.trim(), z.minLength(1, 'Enter the session code'), z.maxLength(64, 'This code is too long'))
const Code = z.string().check(z.regex(new RegExp(`^\\d{${CODE_DIGITS}}$`), messages.invalidCode))
/**
 * A secret that the browser generates and sends with both calls: only the browser in which the emailed code was entered
 * can then log in, and not everyone who knows the email address and the session code. Without it, one login from the
 * same network address can follow.
 */
const Device = z.optional(z.string().check(z.minLength(16), z.maxLength(128)))

export const TrainingLogin = z.object({ fullName: FullName, email: Email, sessionCode: SessionCode })

/**
 * How participants join a workshop: without an account, but with a session code, and an emailed code if two-step
 * verification applies.
 */
export const trainingLogin = {
  register: post('/api/auth/training/register', {
    summary: 'Register for a workshop with its session code, before or after its start',
    access: 'everyone',
    body: z.object({ fullName: FullName, sessionCode: SessionCode, participantEmail: Email }),
    reply: z.object({
      id: Id,
      fullName: z.string(),
      sessionCode: z.string(),
      participantEmail: z.string(),
      training: z.object({ name: z.string(), startTime: Time, endTime: Time }),
    }),
    status: 201,
    failure: 'caller',
  }),
  generateCode: post('/api/two-step-verification/generate-code', {
    summary: 'Email a verification code to a participant, if two-step verification applies to them',
    access: 'everyone',
    body: TrainingLogin,
    reply: z.object({ verificationRequired: z.boolean(), message: z.string() }),
    failure: 'caller',
  }),
  resendCode: post('/api/two-step-verification/resend-code', {
    summary: 'Email a new verification code to a participant. The previous one stops working',
    access: 'everyone',
    body: z.object({ email: Email, sessionCode: SessionCode }),
    reply: Done,
    failure: 'caller',
  }),
  verifyCode: post('/api/two-step-verification/verify-code', {
    summary: 'Verify the email address of a participant with the emailed code',
    access: 'everyone',
    body: z.object({ email: Email, code: Code, sessionCode: SessionCode, device: Device }),
    reply: z.object({ verified: z.boolean() }),
    failure: 'caller',
  }),
  login: post('/api/auth/login-training', {
    summary:
      'Log in to a workshop: always to the same seat. Refused unless this email address was just verified, where two-step applies',
    access: 'everyone',
    body: z.extend(TrainingLogin, { device: Device }),
    reply: LoggedIn,
    failure: 'caller',
  }),
}
