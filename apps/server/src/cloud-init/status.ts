import * as z from 'zod/mini'

export const STATUS_FILE = '/var/lib/flotilla/status.json'

/** The progress of a machine's setup, as reported by the machine. */
const MachineStatus = z.object({
  state: z.enum(['working', 'ready', 'failed']),
  /** The current step, or the step at which the setup ended, as text: 'install packages'. */
  step: z.string(),
  ok: z.boolean(),
  /** Why it failed. */
  message: z.string(),
  time: z.number(),
  /** Optional steps that failed: a package that does not exist, the provision script. */
  warnings: z.array(z.string()),
})
export type MachineStatus = z.infer<typeof MachineStatus>

/** Null for a file that is missing or incomplete. */
export function readStatus(text: string): MachineStatus | null {
  try {
    return MachineStatus.parse(JSON.parse(text))
  } catch {
    return null
  }
}
