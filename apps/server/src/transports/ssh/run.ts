import { randomBytes } from 'node:crypto'
import { Transform } from 'node:stream'
import { TransportError } from '../error'
import type { OpenChannel } from './channels'
import { killLine, marked, noFolder, type RemoteCommand } from './command'
import type { Exit, Running } from '../running'

/** More output than this before the mark does not come from a shell profile. */
const mostChatter = 256 * 1024
const killMs = 6_000

type OpenExec = (line: string) => Promise<OpenChannel>

/** Starts a command on a channel. `openKill` opens a channel to kill the command, even if no slot is free. */
export async function runRemote(
  command: RemoteCommand,
  host: string,
  open: OpenExec,
  openKill: OpenExec,
  linkLost: () => TransportError | undefined,
): Promise<Running> {
  const mark = `flotilla-${randomBytes(9).toString('hex')}`
  const { channel, exit, closed } = await open(marked(command, mark))
  const out = afterMark(mark)
  const err = afterMark(mark)
  channel.pipe(out.stream)
  channel.stderr.pipe(err.stream)

  const done = Promise.all([
    closed,
    new Promise<void>((resolve) => void out.stream.once('close', resolve)),
    new Promise<void>((resolve) => void err.stream.once('close', resolve)),
  ]).then(() => {
    const how = exit()
    if (how && out.found()) return how
    throw how
      ? neverReached(command, host, how, err.before() || out.before())
      : (linkLost() ?? noExit(command, host))
  })
  // The caller may attach its handler later.
  done.catch(() => undefined)

  return {
    stdin: channel,
    stdout: out.stream,
    stderr: err.stream,
    done,
    kill: async () => {
      const pid = Number(err.rest())
      // sshd signals the process group immediately, if it supports that; the rest of the tree needs a command.
      channel.signal('TERM')
      if (pid > 1) await Promise.race([runKill(openKill, killLine(pid, command.sudoAs)), pause(killMs)])
      channel.close()
    },
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())

async function runKill(open: OpenExec, line: string): Promise<void> {
  const opened = await open(line).catch(() => undefined)
  if (!opened) return
  opened.channel.resume()
  opened.channel.stderr.resume()
  opened.channel.end()
  await opened.closed
}

/** Passes on the output after the line with the mark. */
function afterMark(mark: string) {
  let before: Buffer = Buffer.alloc(0)
  let rest: string | undefined
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      if (rest !== undefined) return next(null, chunk)
      before = Buffer.concat([before, chunk])
      const at = before.indexOf(mark)
      const end = at === -1 ? -1 : before.indexOf('\n', at)
      if (end === -1) {
        if (before.length > mostChatter) before = before.subarray(before.length - mark.length * 2)
        return next()
      }
      rest = before.toString('latin1', at + mark.length, end).trim()
      const after = before.subarray(end + 1)
      before = before.subarray(0, at)
      next(null, after.length > 0 ? after : undefined)
    },
  })
  return {
    stream,
    found: () => rest !== undefined,
    /** The text after the mark on its line. */
    rest: () => rest ?? '',
    before: () => before.toString().trim(),
  }
}

/** The error if the remote host ended the command before our own shell ran; its output is the best explanation. */
function neverReached(
  { cwd, sudoAs }: RemoteCommand,
  host: string,
  { code }: Exit,
  printed: string,
): TransportError {
  if (code === noFolder && cwd !== undefined)
    return new TransportError(
      'open folder',
      'not found',
      `The folder ${cwd} on ${host} cannot be opened: ${printed}`,
    )
  const output = printed ? ` Output: ${printed.slice(-500)}` : ''
  if (sudoAs !== undefined)
    return new TransportError(
      'switch account',
      'refused',
      `The console cannot act as ${sudoAs} on ${host}. sudo must be installed there and allowed without a password.${output}`,
    )
  return new TransportError('run command', 'unusable', `The account on ${host} cannot run commands.${output}`)
}

const noExit = ({ argv }: RemoteCommand, host: string) =>
  new TransportError(
    'run command',
    'lost',
    `${host} closed the channel of "${argv[0]}" without an exit status.`,
  )
