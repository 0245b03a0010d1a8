import * as z from 'zod/mini'
import { socketRequest } from '../socket-request'

const Key = z.string().check(z.minLength(1), z.maxLength(300))

/** Follows an output file while a job writes it. `follow` is an identifier chosen by the browser. */
export const jobOutput = {
  follow: socketRequest('follow', {
    summary:
      'Follow an output file from an offset. Pieces arrive as `output` until `outputEnd` or `unfollow`',
    access: 'user',
    input: z.object({ follow: Key, job: Key, submission: Key, file: Key, from: z.number().check(z.int()) }),
    reply: z.object({}),
  }),
  unfollow: socketRequest('unfollow', {
    summary: 'Stop following an output file',
    access: 'user',
    input: z.object({ follow: Key }),
    reply: z.object({}),
  }),
}
