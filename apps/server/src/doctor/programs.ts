import { execFile, type ExecFileException } from 'node:child_process'
import { promisify } from 'node:util'
import type { Finding } from '@flotilla/contract/site/doctor'
import { messageOf } from '../explain'

const run = promisify(execFile)
const TIMEOUT_MS = 10_000

type Program = {
  part: string
  command: string
  args: string[]
  /** Matches the version in the program's output. */
  version: RegExp
  neededFor: string
  /** What to do if the program is not installed. */
  advice: string[]
}

/** Programs on the console's own machine that some features need; everything else works without them. */
export const programs: Program[] = [
  {
    part: 'setpriv',
    command: 'setpriv',
    args: ['--version'],
    version: /(\d+\.\d+(?:\.\d+)?)/,
    neededFor: 'running jobs on this machine as the user who owns them',
    advice: ['It is part of util-linux: apt-get install util-linux'],
  },
  {
    part: 'slirp4netns',
    command: 'slirp4netns',
    args: ['--version'],
    version: /(\d+\.\d+(?:\.\d+)?)/,
    neededFor: 'giving jobs and terminals on this machine a network that cannot reach the console',
    advice: [
      'Without it they have no network: apt-get install slirp4netns iproute2',
      'Unless the console runs as root, its account must be able to open /dev/net/tun.',
      'Or let them use this machine’s network: turn on “Let jobs connect to the console” under Settings > Security.',
    ],
  },
  {
    part: 'Slurm commands',
    command: 'sbatch',
    args: ['--version'],
    version: /(\d+\.\d+(?:\.\d+)?)/,
    neededFor:
      'using a Slurm cluster whose head node is this machine; others are reached over SSH and need nothing here',
    advice: ['Needed only if this machine is a head node: apt-get install slurm-client'],
  },
]

export async function findProgram({
  part,
  command,
  args,
  version,
  neededFor,
  advice,
}: Program): Promise<Finding> {
  const finding = { part, neededFor }
  try {
    const { stdout } = await run(command, args, { timeout: TIMEOUT_MS })
    const found = version.exec(stdout)?.[1] ?? null
    return { ...finding, state: 'found', version: found, message: `${part} works`, advice: [] }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return {
      ...finding,
      version: null,
      ...(isMissing
        ? { state: 'missing', message: `${command} is not installed on this machine`, advice }
        : {
            state: 'trouble',
            message: `${command} is installed but fails: ${failureOf(error)}`,
            advice: [],
          }),
    }
  }
}

/** The last line of stderr, where programs report what stopped them. */
function failureOf(error: unknown): string {
  const { stderr = '', killed = false } = error as Partial<ExecFileException>
  const line = stderr.trim().split('\n').at(-1)
  return line || (killed ? `no response within ${TIMEOUT_MS / 1000} s` : messageOf(error))
}
