import * as z from 'zod/mini'

export const STATUS_FILE = '/var/lib/flotilla/status.json'

/** How far a machine's setting up is, as it says itself. */
const MachineStatus = z.object({
  state: z.enum(['working', 'ready', 'failed']),
  /** What is being done, or where it ended, as text: 'install packages'. */
  step: z.string(),
  ok: z.boolean(),
  /** Why it failed. */
  message: z.string(),
  time: z.number(),
  /** What did not succeed and can be done without: a package that does not exist, the provision script. */
  warnings: z.array(z.string()),
})
export type MachineStatus = z.infer<typeof MachineStatus>

/** Null for what a machine has not written yet, or has written only half. */
export function readStatus(text: string): MachineStatus | null {
  try {
    return MachineStatus.parse(JSON.parse(text))
  } catch {
    return null
  }
}
