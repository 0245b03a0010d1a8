import { spawn, type ChildProcess } from 'node:child_process'
import { until } from '../until'

/** The process of a console, which can be killed and started again. */
export class ConsoleProcess {
  out = ''
  private child: ChildProcess | undefined
  private gone: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly command: string[],
    protected readonly env: Record<string, string>,
  ) {}

  get pid(): number {
    return this.child?.pid ?? 0
  }

  /** Starts the process, also again after it was killed. */
  async run(): Promise<void> {
    this.out = ''
    const [program = '', ...args] = this.command
    const child = spawn(program, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' })
    this.child = child
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        this.out += data.toString()
        if (process.env.LOG_LEVEL === 'debug') process.stderr.write(data)
      })
    this.gone = new Promise((resolve) => child.once('close', resolve))
    await until(() => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the server ended: ${this.out}`)
      return this.out.includes('Ctrl+C')
    })
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.child?.kill(signal)
    await this.gone
  }
}
