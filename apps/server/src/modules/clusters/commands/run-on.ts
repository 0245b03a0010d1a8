import type { MachineCommand } from '../../../cloud-init/commands'
import type { Reach } from './connection'

const USUAL_MS = 60_000

/** Runs one of cloud-init's commands on the head node; fails with the command's own words. */
export async function runOn(
  { transport }: Pick<Reach, 'transport'>,
  { argv, stdin }: MachineCommand,
  timeoutMs = USUAL_MS,
): Promise<string> {
  const given = stdin === undefined ? {} : { stdin }
  const { code, stdout, stderr } = await transport.exec(argv, { timeoutMs, ...given })
  if (code === 0) return stdout
  const words = stderr.trim().split('\n').at(-1)
  throw new Error(words || `${argv.slice(2, 4).join(' ')} ended with code ${code ?? 'of a signal'}`)
}
