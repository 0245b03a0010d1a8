import type { Readable } from 'node:stream'
import { TransportError, type Step } from './error'
import type { Running } from './running'
import type { CommandOptions, ExecOptions, ExecResult } from './transport'

const defaultMaxBytes = 16 * 1024 * 1024

/** Keeps the first `max` bytes and discards the rest, so that the writer neither blocks nor fills memory. */
function keep(stream: Readable, max: number) {
  const kept: Buffer[] = []
  let bytes = 0
  let truncated = false
  stream.on('data', (data: Buffer) => {
    const fits = data.subarray(0, max - bytes)
    if (fits.length < data.length) truncated = true
    if (fits.length > 0) kept.push(fits)
    bytes += fits.length
  })
  // The exit of the command shows what happened, so stream errors are ignored.
  stream.on('error', () => undefined)
  return { text: () => Buffer.concat(kept).toString(), truncated: () => truncated }
}

/** Runs a command to its end and enforces its limits, for all transports. */
export async function collect(
  argv: readonly string[],
  { stdin, inputAfter, timeoutMs, maxBytes = defaultMaxBytes, signal, ...options }: ExecOptions,
  start: (argv: readonly string[], options: CommandOptions) => Promise<Running>,
  /** The step that a command that has not started yet is waiting for. */
  waitingFor: () => Step,
): Promise<ExecResult> {
  const stop = new AbortController()
  const abort = () => stop.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  let refusal: { error: unknown } | undefined
  inputAfter?.catch((error: unknown) => {
    refusal = { error }
    abort()
  })
  const stopped = (step: Step): unknown => {
    if (refusal) return refusal.error
    return signal?.aborted
      ? new TransportError(step, 'canceled', `"${argv[0]}" was canceled.`)
      : new TransportError(step, 'timed out', timedOut(argv, step, timeoutMs))
  }

  try {
    const running = await start(argv, { ...options, signal: stop.signal }).catch((error: unknown) => {
      throw stop.signal.aborted ? stopped(waitingFor()) : error
    })
    const stdout = keep(running.stdout, maxBytes)
    const stderr = keep(running.stderr, maxBytes)
    // A command may exit without reading its input.
    running.stdin.on('error', () => undefined)
    const give = () => void running.stdin.end(stdin)
    if (inputAfter) inputAfter.then(give, () => undefined)
    else give()
    const kill = killed(running, stop.signal)
    const exit = await Promise.race([running.done, kill])
    // A killed leader ends before the rest of its tree; the timeout is only reported when the whole tree is gone.
    if (stop.signal.aborted) await kill
    if (exit === 'killed' || stop.signal.aborted) throw stopped('run command')
    return {
      ...exit,
      stdout: stdout.text(),
      stderr: stderr.text(),
      truncated: stdout.truncated() || stderr.truncated(),
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Kills the tree when the signal aborts and resolves when it is gone, even if its leader ended before. */
function killed(running: Running, signal: AbortSignal): Promise<'killed'> {
  return new Promise((resolve) => {
    const kill = () =>
      void running
        .kill()
        .catch(() => undefined)
        .then(() => resolve('killed'))
    if (signal.aborted) kill()
    else signal.addEventListener('abort', kill, { once: true })
  })
}

/** Kills a streaming command when the caller's signal aborts. */
export function killOn(signal: AbortSignal | undefined, running: Running): void {
  const kill = () => void running.kill().catch(() => undefined)
  signal?.addEventListener('abort', kill, { once: true })
  const forget = () => signal?.removeEventListener('abort', kill)
  running.done.then(forget, forget)
}

/** Rejects an empty command and arguments that no system accepts, with the same message for all transports. */
export function checked(argv: readonly string[]): readonly string[] {
  if (!argv[0]) throw new TransportError('run command', 'bad name', 'No command to run.')
  if (argv.some((part) => part.includes('\0')))
    throw new TransportError('run command', 'bad name', 'An argument cannot contain a NUL byte.')
  return argv
}

const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`

function timedOut(argv: readonly string[], step: Step, ms: number): string {
  if (step === 'run command') return `"${argv[0]}" did not finish within ${seconds(ms)} and was stopped.`
  if (step === 'open channel')
    return `The remote host did not accept "${argv[0]}" within ${seconds(ms)}. It may or may not have run.`
  return `"${argv[0]}" was not started: no response within ${seconds(ms)} at the step "${step}".`
}
