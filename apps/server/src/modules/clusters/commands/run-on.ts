import type { MachineCommand } from '../../../cloud-init/commands'
import type { ClusterConnection } from './connection'

const DEFAULT_MS = 60_000
/** The message is cut off after this many characters. */
const MESSAGE_MAX = 1000

/** Runs one of cloud-init's commands on the head node; fails with the command's own message. */
export async function runOn(
  { transport }: Pick<ClusterConnection, 'transport'>,
  { argv, stdin }: MachineCommand,
  timeoutMs = DEFAULT_MS,
): Promise<string> {
  const given = stdin === undefined ? {} : { stdin }
  const { code, stdout, stderr } = await transport.exec(argv, { timeoutMs, ...given })
  if (code === 0) return stdout
  const message = stderr.trim().split('\n').at(-1)?.slice(0, MESSAGE_MAX)
  const how = code === null ? 'was killed by a signal' : `ended with code ${code}`
  throw new Error(message || `${argv.slice(2, 4).join(' ')} ${how}`)
}
