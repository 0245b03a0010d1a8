import * as z from 'zod/mini'
import { get } from '../endpoint'
import { Id, Page, Time } from '../lists'

/** Someone who is not logged in, in the place of a username: no username has a space. */
export const VISITOR = 'a visitor'

/** One line of the audit trail. */
export const Activity = z.object({
  id: Id,
  time: Time,
  /** Who did it: the username, which outlives the account; VISITOR for a failed login; null for the system itself. */
  actor: z.nullable(z.string()),
  action: z.string(),
  /** What it was done to, such as `user ada`. */
  subject: z.string(),
  detail: z.string(),
  requestId: z.nullable(z.string()),
})
export type Activity = z.infer<typeof Activity>

export const activities = {
  list: get('/api/activities', {
    summary: 'List the audit trail, newest first',
    access: 'admin',
    query: Page,
    reply: z.array(Activity),
  }),
}
