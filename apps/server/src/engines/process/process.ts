import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { birthIn, isAlive, type Birth } from '@flotilla/system/alive'
import { EngineError } from '../engine'
import { lines, type Line } from './lines'
import { wrapper } from './wrapper'

/** What must be known about a run after the server that started it has ended. */
const RunRecord = z.object({ name: z.string(), startedAt: z.number(), base: z.number() })

const files = (folder: string) => ({
  record: path.join(folder, 'run.json'),
  /** The process identities of the wrapper and the engine. */
  births: path.join(folder, 'births'),
  begun: path.join(folder, 'begun'),
  output: path.join(folder, 'output'),
  exit: path.join(folder, 'exit'),
  /** Contains the position at which the run ended; its presence means that the run is settled. */
  settled: path.join(folder, 'settled'),
})

/** Writes atomically. The file need not survive a power failure, after which no process of the run exists anymore. */
async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** A detached process: it outlives the server, and a server that starts later finds it again. */
export interface EngineProcess {
  name: string
  startedAt: number
  alive(): boolean
  /** Its output after the position `from`, until it has ended or `signal` is aborted. */
  lines(from: number, signal: AbortSignal): AsyncGenerator<Line, void>
  /** Null if unknown: it never started, or was killed together with its wrapper. */
  exitCode(): number | null
  /** Returns whether there was a process to signal. */
  interrupt(signal?: 'SIGINT' | 'SIGTERM'): boolean
  /** Kills it with all its child processes. */
  kill(): void
  /** Settles the run: discards its output and lets the next one start. */
  discard(): Promise<void>
}

export interface StartOptions {
  /** The engine's own folder; runs are stored in its subfolder `runs`. */
  folder: string
  name: string
  command: string[]
  environment: Record<string, string>
  /** The content that the engine can read from /dev/fd/3. */
  input?: string
}

/** Starts a process. There can be only one per folder, and the previous run must be settled. */
export async function startDetached(options: StartOptions): Promise<EngineProcess> {
  const { folder, name, command, environment, input } = options
  const before = await newest(folder)
  if (before && !existsSync(files(before.folder).settled)) {
    throw new EngineError('locked', `Another operation is in progress here: ${before.record.name}.`)
  }
  const base = before ? Number(await readFile(files(before.folder).settled, 'utf8')) : 0
  const record = { name, startedAt: Date.now(), base }
  const run = path.join(folder, 'runs', String((before?.number ?? 0) + 1))
  await mkdir(run, { recursive: true, mode: 0o700 })
  await writeWhole(files(run).record, JSON.stringify(record))
  if (before) await rm(before.folder, { recursive: true, force: true })

  const output = openSync(files(run).output, 'a', 0o600)
  let gone = false
  try {
    const child = spawn(
      'sh',
      ['-c', wrapper, 'engine', run, input === undefined ? 'no' : 'yes', ...command],
      {
        cwd: folder,
        detached: true,
        env: environment,
        stdio: ['ignore', output, output, input === undefined ? 'ignore' : 'pipe'],
      },
    )
    child.once('error', () => (gone = true))
    child.once('exit', () => (gone = true))
    const pipe = child.stdio[3]
    if (pipe && 'end' in pipe) {
      // The process may end without reading its input.
      pipe.on('error', () => undefined)
      pipe.end(input)
    }
    child.unref()
  } finally {
    closeSync(output)
  }
  return processIn(run, record, () => gone)
}

/**
 * Finds the run that is in progress or has ended without being settled, whichever server started it. With `takeBack`, a
 * run that has not begun yet is prevented from starting, because its server is known to be gone.
 */
export async function findDetached(
  folder: string,
  { takeBack }: { takeBack: boolean },
): Promise<EngineProcess | null> {
  const found = await newest(folder)
  if (!found || existsSync(files(found.folder).settled)) return null
  const { begun, output } = files(found.folder)
  if (takeBack) {
    // Fails if the run has begun, in which case there is nothing to prevent.
    await writeFile(begun, 'taken back', { flag: 'wx', mode: 0o600 }).catch(() => undefined)
    await writeFile(output, '', { flag: 'a', mode: 0o600 })
  }
  return processIn(found.folder, found.record, () => takeBack)
}

async function newest(folder: string) {
  const names = await readdir(path.join(folder, 'runs')).catch(() => [])
  for (const number of names.map(Number).toSorted((a, b) => b - a)) {
    const run = path.join(folder, 'runs', String(number))
    const text = await readFile(files(run).record, 'utf8').catch(() => undefined)
    if (text !== undefined) return { number, folder: run, record: RunRecord.parse(JSON.parse(text)) }
  }
  return undefined
}

interface Begun {
  outer: Birth | undefined
  inner: Birth | undefined
}

/** `startFailed` returns whether a run that has not begun never will. */
function processIn(
  run: string,
  record: z.infer<typeof RunRecord>,
  startFailed: () => boolean,
): EngineProcess {
  const { begun, births: born, exit, output, settled } = files(run)
  let known: Begun | undefined
  const births = (): Begun | undefined => {
    if (known || !existsSync(begun)) return known
    const isBack = readFileSync(begun, 'latin1') !== '' || !existsSync(born)
    const [outer = '', inner = '', boot = ''] = isBack ? [] : readFileSync(born, 'latin1').split('\n')
    known = { outer: birthIn(outer, boot), inner: birthIn(inner, boot) }
    return known
  }
  const exitCode = () => {
    const match = existsSync(exit) && /^(\d+)\n$/.exec(readFileSync(exit, 'latin1'))
    return match ? Number(match[1]) : null
  }
  const alive = () => {
    if (exitCode() !== null) return false
    const found = births()
    if (!found) return !startFailed()
    // While the wrapper is alive, the exit code may still arrive.
    return [found.inner, found.outer].some((birth) => birth !== undefined && isAlive(birth))
  }
  const send = (pid: number, name: NodeJS.Signals) => {
    try {
      process.kill(pid, name)
    } catch {
      // It has just ended.
    }
  }
  return {
    name: record.name,
    startedAt: record.startedAt,
    alive,
    exitCode,
    async *lines(from, signal) {
      const start = Math.max(0, from - record.base)
      for await (const line of lines({ file: output, from: start, isOver: () => !alive(), signal })) {
        yield { text: line.text, end: record.base + line.end }
      }
    },
    interrupt(signal = 'SIGINT') {
      const inner = births()?.inner
      if (!inner || !isAlive(inner)) return false
      send(inner.pid, signal)
      return true
    },
    kill() {
      const { outer, inner } = births() ?? {}
      // The wrapper leads the process group of everything that the engine has started.
      if (outer && isAlive(outer)) send(-outer.pid, 'SIGKILL')
      if (inner && isAlive(inner)) send(inner.pid, 'SIGKILL')
    },
    async discard() {
      const { size } = await stat(output)
      await writeWhole(settled, String(record.base + size))
      await rm(output, { force: true })
    },
  }
}
