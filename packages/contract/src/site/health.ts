import * as z from 'zod/mini'
import { get } from '../endpoint'

export const health = {
  view: get('/api/health', {
    summary: 'Health check: 200, or 503 naming the failed part',
    access: 'everyone',
    reply: z.object({ status: z.literal('ok'), version: z.string() }),
    failure: 'caller',
  }),
}
