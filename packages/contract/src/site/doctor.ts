import * as z from 'zod/mini'
import { get } from '../endpoint'

/** A part that the console uses, and how it is. */
export const Finding = z.object({
  part: z.string(),
  state: z.enum(['found', 'missing', 'trouble']),
  version: z.nullable(z.string()),
  /** What people cannot do without it. */
  neededFor: z.string(),
  /** How it is, in a sentence. */
  message: z.string(),
  /** What to do about it; empty when nothing is to do. */
  advice: z.array(z.string()),
})
export type Finding = z.infer<typeof Finding>

export const doctor = {
  view: get('/api/doctor', {
    summary: 'List the programs and services that the console found, and how to fix missing ones',
    access: 'admin',
    reply: z.array(Finding),
  }),
}
