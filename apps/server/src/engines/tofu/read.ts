import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { EngineError } from '../engine'

/** Queries return soon, or not at all. */
const limitMs = 120_000

export interface ReadOptions {
  command: string[]
  folder: string
  environment: Record<string, string>
  redact: (text: string) => string
}

/** Asks the engine something. The answer may hold secrets, so it goes through a pipe and never onto the disk. */
export async function readFrom({ command, folder, environment, redact }: ReadOptions): Promise<string> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [code, answer, complaint] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (code === 0) return answer
  const what = args.slice(0, 2).join(' ')
  throw new EngineError('failed', `The engine could not run “${what}”.`, { details: [redact(complaint)] })
}
