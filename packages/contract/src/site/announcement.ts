import * as z from 'zod/mini'
import { del, get, put } from '../endpoint'
import { Time } from '../lists'

const ANNOUNCEMENT_MAX = 500

/** A message from an admin to everyone, including guests on the login page. */
export const Announcement = z.object({ text: z.string(), endsAt: Time, by: z.string(), at: Time })
export type Announcement = z.infer<typeof Announcement>

const Current = z.object({ announcement: z.nullable(Announcement) })

export const announcements = {
  view: get('/api/announcement', {
    summary: 'Get the current announcement',
    access: 'everyone',
    reply: Current,
  }),
  set: put('/api/announcement', {
    summary: 'Post an announcement. It replaces the current one and disappears at its end time',
    access: 'admin',
    body: z.object({
      text: z
        .string()
        .check(
          z.trim(),
          z.minLength(1, 'Enter the announcement text'),
          z.maxLength(ANNOUNCEMENT_MAX, `At most ${ANNOUNCEMENT_MAX} characters`),
        ),
      endsAt: Time,
    }),
    reply: Current,
    failure: 'form',
  }),
  remove: del('/api/announcement', {
    summary: 'Remove the announcement',
    access: 'admin',
    reply: Current,
  }),
}
