import * as z from 'zod/mini'
import { get } from './endpoint'
import { Id, Page, Time } from './lists'

/** Who tried something that needs a login, in the place of a username. No username has blanks. */
export const NOT_LOGGED_IN = 'not logged in'

/** One line of the audit trail. */
export const Activity = z.object({
  id: Id,
  time: Time,
  /** Who did it: the username, which outlives the account; NOT_LOGGED_IN for a failed login; null for the system itself. */
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
    summary: 'The audit trail, newest first',
    access: 'admin',
    query: Page,
    reply: z.array(Activity),
  }),
}
