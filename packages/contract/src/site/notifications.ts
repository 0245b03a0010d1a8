import * as z from 'zod/mini'
import { get, put } from '../endpoint'

/** Which of their jobs users are emailed about when a job ends. Canceled jobs are never reported. */
export const JobMail = z.enum(['never', 'failed', 'always'])
export type JobMail = z.infer<typeof JobMail>

export const Notifications = z.object({
  jobs: JobMail,
  /** The address of the emails. */
  email: z.string(),
  /** Whether the address is confirmed; nothing is sent to others. */
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
