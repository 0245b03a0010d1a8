import { randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { TransportError } from '../error'
import type { LocalRunning, Start } from './process'
import type { Exit, Running } from '../running'
import { Slots } from '../slots'
import { quote } from '../ssh/command'

/** A shell ends after being idle for this long; the next command starts another. */
const idleMs = 30_000
/** The maximum number of concurrent shells; more would only slow each other down. */
const most = 16

/**
 * Persistent shells for many short commands in a row. Starting a program forks the process, which blocks a server of
 * 150 MB for four milliseconds, but a small shell for only a quarter of one. A shell runs one command at a time, with a
 * fence after its output. It is discarded if its command is stopped or its output is unexpected.
 */
export class Shells {
  private readonly idle: Shell[] = []
  private readonly slots = new Slots(most)
  private closed = false

  constructor(
    private readonly start: Start,
    private readonly home: string,
  ) {}

  /**
   * Like `Start`, but only in the home and only with text. With `held`, the command is started immediately and gets
   * this text as its input when its stdin is ended.
   */
  async run(argv: readonly string[], signal: AbortSignal | undefined, held?: string): Promise<Running> {
    const slot = await this.slots.take('short', signal)
    try {
      const shell = this.idle.pop() ?? new Shell(await this.start(['/bin/sh'], {}, 1))
      const running = shell.run(argv, this.home, held)
      const free = () => {
        slot.closed()
        if (this.closed) shell.close()
        else if (shell.usable) {
          this.idle.push(shell)
          shell.rest(idleMs, () => this.forget(shell))
        }
      }
      running.done.then(free, free)
      return running
    } catch (error) {
      slot.closed()
      throw error
    }
  }

  close(): void {
    this.closed = true
    for (const shell of this.idle.splice(0)) shell.close()
  }

  private forget(shell: Shell): void {
    const at = this.idle.indexOf(shell)
    if (at >= 0) this.idle.splice(at, 1)
  }
}

/** The input of a command, passed on immediately or when the gate is opened. */
type Input = string | { held: string }
type Command = { out: Fenced; err: Fenced; ended(): void }

class Shell {
  usable = true
  /** Random, so that it cannot occur in output by chance and commands cannot guess it. */
  private readonly secret = randomBytes(12).toString('hex')
  private count = 0
  private current: Command | undefined
  private timer: NodeJS.Timeout | undefined

  private forget: () => void = () => undefined

  /** A line written here passes the input on to the command. */
  private readonly gate: Writable

  constructor(private readonly running: LocalRunning) {
    this.gate = running.pipe(3).on('error', () => undefined)
    running.stdout.on('data', (data: Buffer) => this.current?.out.take(data))
    running.stderr.on('data', (data: Buffer) => this.current?.err.take(data))
    running.stdin.on('error', () => undefined)
    void running.done.then(() => {
      this.close()
      this.current?.ended()
    })
  }

  run(argv: readonly string[], home: string, held: string | undefined): Running {
    clearTimeout(this.timer)
    this.forget = () => undefined
    const fence = `${this.secret}-${this.count++}-`
    const [out, err] = [new Fenced(fence), new Fenced(fence)]
    let killed = false
    const done = new Promise<Exit>((resolve, reject) => {
      const ended = () =>
        killed
          ? resolve({ code: null, signal: 'SIGTERM' })
          : reject(new TransportError('run command', 'lost', `The shell running "${argv[0]}" exited.`))
      this.current = { out, err, ended }
      void Promise.all([out.text, err.text]).then(([text]) => {
        this.current = undefined
        resolve({ code: Number(text), signal: null })
      })
    })
    const begin = (input: Input) => this.running.stdin.write(written(argv, input, home, fence))
    if (held !== undefined) begin({ held })
    return {
      stdin: collected((input) => (held === undefined ? begin(input) : this.gate.write('\n'))),
      stdout: out.stream,
      stderr: err.stream,
      done,
      kill: async () => {
        killed = true
        this.usable = false
        await this.running.kill()
      },
    }
  }

  /** Keeps the shell idle for this long; `forget` is called if it ends before it is used again. */
  rest(ms: number, forget: () => void): void {
    this.forget = forget
    this.timer = setTimeout(() => this.close(), ms).unref()
  }

  close(): void {
    this.usable = false
    clearTimeout(this.timer)
    this.forget()
    this.running.stdin.end()
  }
}

/**
 * The command in braces. A shell starts such a block only when it has read all of it, so that no command ever runs with
 * partial input if the server is killed while it writes.
 */
function written(argv: readonly string[], input: Input, home: string, fence: string): string {
  const command = `${argv.map(quote).join(' ')} 3<&-`
  const begin = `cd ${quote(home)} 2>/dev/null || cd /`
  const end = `set -- $?; printf '%s%s\\n' ${fence} $1; printf '%s%s\\n' ${fence} $1 >&2`
  return `{ ${begin}\n${withInput(command, input, fence)}\n${end}; }\n`
}

function withInput(command: string, input: Input, fence: string): string {
  // If the server dies, the gate closes without a line, and the command gets no input.
  if (typeof input !== 'string') return `{ read -r go <&3 && printf %s ${quoted(input.held)}; } | ${command}`
  if (input === '') return `${command} </dev/null`
  // A here-document always ends with a newline.
  if (input.endsWith('\n')) return `${command} <<'${fence}'\n${input}${fence}`
  return `printf %s ${quoted(input)} | ${command}`
}
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Collects the input and passes it on when it is complete. */
function collected(onWhole: (input: string) => void): Writable {
  const parts: Buffer[] = []
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk)
      done()
    },
    final(done) {
      onWhole(Buffer.concat(parts).toString())
      done()
    },
  })
}

/** Passes on the output before a fence. Late output of an earlier command is discarded while no command runs. */
class Fenced {
  readonly stream = new Readable({ read: () => undefined })
  /** The text after the fence on its line, when all output before it has been read. */
  readonly text: Promise<string>
  private resolveText: (text: string) => void = () => undefined
  private readonly fence: Buffer
  private held: Buffer = Buffer.alloc(0)
  private found = false

  constructor(fence: string) {
    this.fence = Buffer.from(fence)
    this.text = new Promise((resolve) => (this.resolveText = resolve))
  }

  take(chunk: Buffer): void {
    const data = this.held.length > 0 ? Buffer.concat([this.held, chunk]) : chunk
    const at = this.found ? 0 : data.indexOf(this.fence)
    // The last bytes may be the beginning of the fence.
    const whole = at >= 0 ? at : Math.max(0, data.length - this.fence.length + 1)
    if (whole > 0) this.stream.push(data.subarray(0, whole))
    this.held = data.subarray(whole)
    if (at >= 0) this.found = true
    if (!this.found || this.held.at(-1) !== 10) return
    this.stream.once('end', () => this.resolveText(this.held.toString('latin1', this.fence.length).trim()))
    this.stream.push(null)
  }
}
