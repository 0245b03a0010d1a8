import { spawn } from 'node:child_process'
import { text as wholeText } from 'node:stream/consumers'
import { EngineError, type EngineProgram } from '../engine'

/** The timeout of queries, which either return quickly or hang. */
const limitMs = 120_000

export interface ReadOptions {
  program: Pick<EngineProgram, 'command' | 'query'>
  argv: string[]
  folder: string
  environment: Record<string, string>
  redact: (text: string) => string
}

/** Runs a query of the engine. Its output may contain secrets, so it goes through a pipe and never to disk. */
export async function readFrom({ program, argv, folder, environment, redact }: ReadOptions): Promise<string> {
  const { exitCode, text, errorText } = program.query
    ? { errorText: '', ...(await program.query(argv, { folder, env: environment })) }
    : await queryProcess([...program.command, ...argv], folder, environment)
  if (exitCode === 0) return text
  const what = argv.slice(0, 2).join(' ')
  throw new EngineError('failed', `The engine could not run “${what}”.`, {
    details: [redact(errorText || text)],
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
  const [exitCode, answer, errorText] = await Promise.all([
    ended,
    wholeText(child.stdout),
    wholeText(child.stderr),
  ])
  return { exitCode, text: answer, errorText }
}
