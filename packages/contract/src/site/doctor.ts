import * as z from 'zod/mini'
import { get } from '../endpoint'

/** A component that the console uses, and its state. */
export const Finding = z.object({
  part: z.string(),
  state: z.enum(['found', 'missing', 'trouble']),
  version: z.nullable(z.string()),
  /** What does not work without it. */
  neededFor: z.string(),
  /** Its state in one sentence. */
  message: z.string(),
  /** What to do about it; empty if nothing is required. */
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
