import path from 'node:path'
import { PassThrough, Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type ssh2 from 'ssh2'
import { checked, collect, killOn } from '../collect'
import { followingLinks, fromTop, split, splitAnywhere, type Disk, type Parts } from '../disk'
import { TransportError } from '../error'
import { filesOn } from '../files'
import { bounded } from '../terminal-size'
import { remoteSearch } from '../search/remote-search'
import { Sftp } from '../sftp/sftp'
import { sftpDisk } from '../sftp/disk'
import { Slots, type SlotKind } from '../slots'
import { Channels, openOn, type OpenChannel } from './channels'
import { forward } from './forward'
import { commandLine, sftpServer, withWholeInput } from './command'
import { lostError, SshLink } from './link'
import type { SshTarget } from './login'
import { runRemote } from './run'
import type { Exit, Running } from '../running'
import type { CommandOptions, ExecOptions, Terminal, Transport } from '../transport'

export interface SshOptions extends SshTarget {
  /** The account to act as with sudo after logging in as `username`. */
  sudoAs?: string
  /** Variables for every command. Other users of that machine can see them. */
  env?: Readonly<Record<string, string>>
  /** The maximum number of open channels; sshd allows ten by default. */
  maxChannels?: number
}

/** Another machine over one persistent SSH connection. */
export function sshTransport(options: SshOptions, log: Logger): Transport {
  const { host, sudoAs } = options
  const slots = new Slots(options.maxChannels ?? 8)
  const link = new SshLink(options, log, () => slots.forget())
  const channels = new Channels(link, host, slots)
  const linkLost = () => (link.connected ? undefined : lostError(host))

  const start =
    (kind: SlotKind) =>
    (argv: readonly string[], { cwd, env, signal }: CommandOptions): Promise<Running> =>
      runRemote(
        { argv, cwd, env: { ...options.env, ...env }, sudoAs },
        host,
        (line) => channels.open(kind, (client, done) => client.exec(line, done), signal),
        // Bypasses the slots: sshd allows two more channels than we use.
        (line) => execOn(link.connected, line),
        linkLost,
      )
  const stream: Transport['stream'] = async (argv, how = {}) => {
    const running = await start('lasting')(checked(argv), how)
    killOn(how.signal, running)
    return running
  }

  let session: Promise<Sftp> | undefined
  const sftp = async (): Promise<Sftp> => {
    const before = session
    const open = await before?.catch(() => undefined)
    if (open?.usable) return open
    // If several callers find it closed, only one reopens it.
    return session === before || !session ? (session = openSftp()) : session
  }
  const openSftp = async () => {
    if (sudoAs === undefined)
      return Sftp.open((await channels.open('files', (client, done) => client.subsys('sftp', done))).channel)
    const running = await start('files')(sftpServer, {})
    running.stderr.resume()
    return Sftp.open(Duplex.from({ readable: running.stdout, writable: running.stdin }))
  }

  const exec: Transport['exec'] = async (argv, how) => {
    const line = isText(how.stdin) ? withWholeInput(checked(argv), how.stdin) : checked(argv)
    return collect(line, how, start('short'), () => (link.connected ? 'open channel' : link.step))
  }
  const pack = async (root: string, parts: Parts) => {
    const cwd = path.posix.join(root, ...parts.slice(0, -1))
    const tar = await stream(['tar', '-czf', '-', '--', `./${parts.at(-1) ?? ''}`], { cwd })
    tar.stderr.resume()
    return tar.stdout
  }

  return {
    exec,
    stream,
    shell: async ({ term = 'xterm-256color', ...size }) => {
      const pty = { ...bounded(size), term }
      const opened = await channels.open('lasting', (client, done) =>
        sudoAs === undefined
          ? client.shell(pty, done)
          : client.exec(commandLine(['sudo', '-n', '-i', '-u', sudoAs]), { pty }, done),
      )
      return terminal(opened, linkLost)
    },
    // Bypasses the slots, because sshd's limit counts only sessions.
    connect: (to, port, signal) => forward(link, host, to, port, signal),
    files: (given, folder = '') => {
      const inside = split(folder, 'open folder')
      const bases = new WeakMap<Sftp, Promise<string>>()
      const baseOn = (on: Sftp) => {
        const known = bases.get(on) ?? on.realpath(fromHome(given))
        bases.set(on, known)
        known.catch(() => bases.delete(on))
        return known
      }
      // Only the base is resolved: the rest of the path to the folder must not contain links (sftp/disk.ts).
      const rootOn = async (on: Sftp) => path.posix.join(await baseOn(on), ...inside)
      const disk = async (): Promise<Disk> => {
        const on = await sftp()
        return sftpDisk(on, await rootOn(on), undefined, (...part) => remoteSearch(exec, ...part))
      }
      return filesOn({ disk, pack: async (parts) => pack(await rootOn(await sftp()), parts) })
    },
    // The SFTP server runs as the account, so following links is safe.
    linksBlockedReason: null,
    filesBeyond: (folder) => {
      const inside = split(folder, 'open folder')
      const disk = async () => followingLinks(sftpDisk(await sftp(), '/'), inside)
      return filesOn({ disk, pack: (parts) => pack('/', fromTop(parts)), split: splitAnywhere })
    },
    state: link.state,
    healthy: () => link.state().healthy,
    onStateChange: link.onStateChange,
    close: async () => link.close(),
  }
}

/** Whether the input can be stored in a shell variable. */
const isText = (stdin: ExecOptions['stdin']): stdin is string =>
  typeof stdin === 'string' && stdin !== '' && !stdin.includes('\0')

/** SFTP begins in the home of the account. */
function fromHome(root: string): string {
  if (root === '~') return '.'
  if (root.startsWith('~/')) return root.slice(2)
  if (!root.startsWith('/'))
    throw new TransportError('open folder', 'bad name', `"${root}" must begin with "/" or "~".`)
  return root
}

const execOn = async (client: ssh2.Client | undefined, line: string): Promise<OpenChannel> => {
  if (!client) throw new Error('not connected')
  return openOn(client, (on, done) => on.exec(line, done))
}

function terminal(
  { channel, exit, closed }: OpenChannel,
  linkLost: () => TransportError | undefined,
): Terminal {
  const output = new PassThrough()
  channel.pipe(output)
  channel.stderr.resume()
  const ended = closed.then(
    (): Exit & { error?: TransportError } => exit() ?? { code: null, signal: null, error: linkLost() },
  )
  return {
    write: (data) => void (channel.writable && channel.write(data)),
    resize: (to) => {
      const { cols, rows } = bounded(to)
      channel.setWindow(rows, cols, 0, 0)
    },
    onData: (listener) => void output.on('data', listener),
    onExit: (listener) => void ended.then(listener),
    pause: () => void output.pause(),
    resume: () => void output.resume(),
    // sshd hangs up the terminal, which ends its processes.
    kill: async () => {
      output.resume()
      channel.close()
      await ended
    },
  }
}
