import * as z from 'zod/mini'
import { get, put } from '../endpoint'

/** Which of a user's jobs they get an email about when they end. Canceled ones are never reported. */
export const JobMail = z.enum(['never', 'failed', 'always'])
export type JobMail = z.infer<typeof JobMail>

export const Notifications = z.object({
  jobs: JobMail,
  /** Where they are sent. */
  email: z.string(),
  /** Nothing is sent to an address that is not confirmed. */
  verified: z.boolean(),
  /** Whether the site has a mail server; without one, mail is only written to files. */
  delivered: z.boolean(),
})
export type Notifications = z.infer<typeof Notifications>

export const notifications = {
  view: get('/api/notifications', {
    summary: 'Get what you are notified of by email',
    access: 'member',
    reply: Notifications,
  }),
  set: put('/api/notifications', {
    summary: 'Choose what you are notified of by email',
    access: 'member',
    body: z.strictObject({ jobs: JobMail }),
    reply: Notifications,
    failure: 'form',
  }),
}
