import * as z from 'zod/mini'
import { get } from '../endpoint'

export const health = {
  view: get('/api/health', {
    summary: 'Is this server able to work: 200, or 503 naming the part that is not',
    access: 'everyone',
    reply: z.object({ status: z.literal('ok'), version: z.string() }),
    failure: 'caller',
  }),
}
