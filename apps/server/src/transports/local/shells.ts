import { randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { TransportError } from '../error'
import type { LocalRunning, Start } from './process'
import type { Exit, Running } from '../running'
import { Slots } from '../slots'
import { quote } from '../ssh/command'

/** Unused for so long, a shell ends; the next command starts another. */
const idleMs = 30_000
/** More at once would only be in each other's way; the rest waits its turn. */
const most = 16

/**
 * Shells that stay, for short commands of which many follow one another. To start a program, a process is copied: that
 * takes a server of 150 MB four milliseconds in which it does nothing else, and a small shell a quarter of one. Each
 * does one command at a time, with a fence behind its output. One whose command is stopped or that says something
 * unexpected is ended for good.
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
   * As `Start`, but in the home only and with text only. With `held`, the command is started at once and gets this as
   * its input when its stdin is ended.
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

/** What a command reads: now, or when the gate is opened. */
type Input = string | { held: string }
type Command = { out: Fenced; err: Fenced; ended(): void }

class Shell {
  usable = true
  /** No part of any output by chance, and nothing that a command could know. */
  private readonly secret = randomBytes(12).toString('hex')
  private count = 0
  private current: Command | undefined
  private timer: NodeJS.Timeout | undefined

  private forget: () => void = () => undefined

  /** A line here lets a command have its input. */
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

  /** Until it is used again; `forget` is called when it ends before. */
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
 * The command in braces: a shell begins with it only when it has read all of it, so that nothing is ever run with half
 * of its input when the server is killed while it writes.
 */
function written(argv: readonly string[], input: Input, home: string, fence: string): string {
  const command = `${argv.map(quote).join(' ')} 3<&-`
  const begin = `cd ${quote(home)} 2>/dev/null || cd /`
  const end = `set -- $?; printf '%s%s\\n' ${fence} $1; printf '%s%s\\n' ${fence} $1 >&2`
  return `{ ${begin}\n${withInput(command, input, fence)}\n${end}; }\n`
}

function withInput(command: string, input: Input, fence: string): string {
  // When the server dies the gate ends without a line, and the command has no input.
  if (typeof input !== 'string') return `{ read -r go <&3 && printf %s ${quoted(input.held)}; } | ${command}`
  if (input === '') return `${command} </dev/null`
  // What is written here always ends with a line end.
  if (input.endsWith('\n')) return `${command} <<'${fence}'\n${input}${fence}`
  return `printf %s ${quoted(input)} | ${command}`
}
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The whole input, when there is no more of it. */
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

/** Passes on what stands before a fence. What an earlier command says while none is in progress is read by no one. */
class Fenced {
  readonly stream = new Readable({ read: () => undefined })
  /** What is written on the line of the fence, when all before it has been read. */
  readonly text: Promise<string>
  private say: (text: string) => void = () => undefined
  private readonly fence: Buffer
  private held: Buffer = Buffer.alloc(0)
  private found = false

  constructor(fence: string) {
    this.fence = Buffer.from(fence)
    this.text = new Promise((resolve) => (this.say = resolve))
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
    this.stream.once('end', () => this.say(this.held.toString('latin1', this.fence.length).trim()))
    this.stream.push(null)
  }
}
