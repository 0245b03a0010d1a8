import type ssh2 from 'ssh2'
import { collect } from './collect'
import { TransportError, type Reason, type Step } from './error'
import { localTransport } from './local/local'
import type { LocalOptions } from './local/process'
import { openOn } from './ssh/channels'
import { login } from './ssh/login'
import { runRemote } from './ssh/run'
import type { SshOptions } from './ssh/ssh'
import type { Running } from './running'
import type { ExecResult, Transport } from './transport'

export interface DiagnosisStep {
  step: Step
  ok: boolean
  /** A sentence with the finding or, if the step failed, what to do next. */
  message: string
  /** The key that the message asks the user to install. */
  publicKey?: string
  ms: number
}

export type DiagnosisTarget =
  | { kind: 'local'; options: LocalOptions }
  | { kind: 'ssh'; options: SshOptions }
  /** An existing connection that acts as this account. */
  | { kind: 'connected'; transport: Pick<Transport, 'exec'>; account: string }

type Run = (argv: readonly string[]) => Promise<ExecResult>

const limit = { timeoutMs: 15_000, maxBytes: 64 * 1024 }

/** Tests each step on a separate connection and stops at the first failure. */
export async function diagnose(target: DiagnosisTarget): Promise<DiagnosisStep[]> {
  const steps: DiagnosisStep[] = []
  let began = Date.now()
  let current: Step = 'connect'
  const begin = (step: Step) => {
    current = step
    began = Date.now()
  }
  const passed = (message: string) => steps.push({ step: current, ok: true, message, ms: Date.now() - began })
  try {
    await goThrough(target, (step, found) => (found === undefined ? begin(step) : passed(found)))
  } catch (error) {
    const failure =
      error instanceof TransportError ? error : new TransportError(current, 'failed', String(error))
    const { publicKey } = failure
    steps.push({
      step: failure.step,
      ok: false,
      message: failure.message,
      ms: Date.now() - began,
      ...(publicKey !== undefined && { publicKey }),
    })
  }
  return steps
}

type OnStep = (step: Step, found?: string) => void

async function goThrough(target: DiagnosisTarget, onStep: OnStep): Promise<void> {
  if (target.kind === 'local') {
    const local = localTransport(target.options)
    return checkAccount((argv) => local.exec(argv, limit), target.options.as?.username, onStep)
  }
  if (target.kind === 'connected')
    return checkAccount((argv) => target.transport.exec(argv, limit), target.account, onStep)
  const { options } = target
  const client = await login(options, { onStep })
  try {
    onStep('run command')
    const asLogin = remoteRun(client, options, undefined)
    await mustWork(await asLogin(['true']), `Commands cannot be run on ${options.host}.`)
    onStep('run command', 'Commands run.')
    await checkAccount(remoteRun(client, options, options.sudoAs), options.sudoAs, onStep)
  } finally {
    client.end()
  }
}

async function checkAccount(run: Run, account: string | undefined, onStep: OnStep): Promise<void> {
  if (account !== undefined) {
    onStep('switch account')
    await mustWork(await run(['true']), `Cannot act as ${account}.`)
    onStep('switch account', `Commands run as ${account}.`)
  }
  onStep('write file')
  onStep('write file', await checkHome(run))
}

const remoteRun =
  (client: ssh2.Client, options: SshOptions, sudoAs: string | undefined): Run =>
  (argv) => {
    const open = (line: string) => openOn(client, (on, done) => on.exec(line, done))
    const start = (): Promise<Running> =>
      runRemote({ argv, env: options.env, sudoAs }, options.host, open, open, () => undefined)
    return collect(argv, limit, start, () => 'open channel')
  }

async function mustWork({ code, stderr }: ExecResult, message: string): Promise<void> {
  if (code !== 0) throw new TransportError('run command', 'unusable', `${message} ${stderr.trim()}`.trim())
}

/**
 * Writes 64 KiB to a file in the home and removes it: on a full disk, a file can often be created but not written. The
 * exit code shows what failed, and df how much space is free.
 */
const homeScript = `
cd || exit 10
f=$(mktemp ./.flotilla-check-XXXXXX) || { df -Pk .; exit 11; }
trap 'rm -f "$f"' EXIT
head -c 65536 /dev/zero > "$f" && [ "$(wc -c < "$f")" -eq 65536 ] || { df -Pk .; exit 12; }
df -Pk .
pwd
`

async function checkHome(run: Run): Promise<string> {
  const { code, stdout, stderr } = await run(['/bin/sh', '-c', homeScript])
  const free = freeKib(stdout)
  if (code === 0)
    return `The home folder is writable; ${free === undefined ? 'its free space is unknown' : `${size(free)} free`}.`
  const [reason, message] = homeProblem(code, free)
  const output = stderr.trim().split('\n').at(-1)
  throw new TransportError('write file', reason, `${message}${output ? ` (${output})` : ''}`)
}

function homeProblem(code: number | null, free: number | undefined): [Reason, string] {
  if (code === 10)
    return ['not found', 'The account has no accessible home folder. Create it, owned by the account.']
  // A quota can be exhausted although the disk has free space; then only the write shows it.
  if (code === 12 || (free !== undefined && free < 64))
    return [
      'disk full',
      'Nothing can be stored in the home folder because its disk is full or the quota is exhausted. Free up space there.',
    ]
  return [
    'denied',
    'The home folder is not writable. Check its owner, its permissions, and that it is not mounted read-only.',
  ]
}

/** The fourth column of df's second line. */
const freeKib = (df: string): number | undefined => {
  const free = Number(df.split('\n')[1]?.trim().split(/\s+/)[3])
  return Number.isFinite(free) ? free : undefined
}

/** Formats a size in the units of the rest of the console. */
function size(kib: number): string {
  const megabytes = (kib * 1024) / 1e6
  return megabytes >= 1000 ? `${(megabytes / 1000).toFixed(1)} GB` : `${megabytes.toFixed(1)} MB`
}
