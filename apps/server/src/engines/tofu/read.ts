import { spawn } from 'node:child_process'
import { text as wholeText } from 'node:stream/consumers'
import { EngineError, type EngineProgram } from '../engine'

/** Queries return quickly or not at all. */
const limitMs = 120_000

export interface ReadOptions {
  program: Pick<EngineProgram, 'command' | 'query'>
  argv: string[]
  folder: string
  environment: Record<string, string>
  redact: (text: string) => string
}

/** Asks the engine something. The answer may hold secrets, so it goes through a pipe and never onto the disk. */
export async function readFrom({ program, argv, folder, environment, redact }: ReadOptions): Promise<string> {
  const { exitCode, text, complaint } = program.query
    ? { complaint: '', ...(await program.query(argv, { folder, env: environment })) }
    : await queryProcess([...program.command, ...argv], folder, environment)
  if (exitCode === 0) return text
  const what = argv.slice(0, 2).join(' ')
  throw new EngineError('failed', `The engine could not run “${what}”.`, {
    details: [redact(complaint || text)],
  })
}

async function queryProcess([command = '', ...args]: string[], cwd: string, env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [exitCode, answer, complaint] = await Promise.all([
    ended,
    wholeText(child.stdout),
    wholeText(child.stderr),
  ])
  return { exitCode, text: answer, complaint }
}
