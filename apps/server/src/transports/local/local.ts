import path from 'node:path'
import { connectTo } from './connect'
import { checked, collect, killOn } from '../collect'
import { followingLinks, fromTop, split, splitAnywhere, wholeMachine, type Parts } from '../disk'
import { TransportError } from '../error'
import { filesOn } from '../files'
import { FilesWorker } from './files-client'
import { homeOf, starter, type LocalOptions } from './process'
import { Shells } from './shells'
import { localTerminal } from './terminal'
import { connectToUnixSocket } from './unix-socket'
import type { ExecOptions, Transport } from '../transport'

interface FileOptions {
  /** Like `enter`, but for files only: for accounts whose commands run as the server but whose file access must not. */
  enterFiles?: readonly string[]
  /** Path of the built worker, required for file access. */
  filesWorker?: string
}

/** This machine, as the server's own account or, if the server runs as root, as another account. */
export function localTransport(options: LocalOptions & FileOptions = {}): Transport {
  const start = starter(options)
  const worker = new FilesWorker(
    { as: options.as, enter: options.enterFiles ?? options.enter },
    options.filesWorker ?? '',
  )
  const entered = (options.enterFiles ?? options.enter ?? []).length > 0
  const isAccount = entered || (options.as !== undefined && options.as.uid !== process.getuid?.())
  const shells = new Shells(start, homeOf(options))
  const state = { healthy: true, since: Date.now() }

  return {
    exec: async (argv, how) =>
      isForShell(how)
        ? collect(
            checked(argv),
            how,
            (line, { signal }) => shells.run(line, signal, heldIn(how)),
            () => 'open channel',
          )
        : collect(checked(argv), how, start, () => 'run command'),
    stream: async (argv, how = {}) => {
      const running = await start(checked(argv), how)
      killOn(how.signal, running)
      return running
    },
    shell: (how) => localTerminal(start, options, how),
    connect: connectTo,
    connectToUnixSocket: async (folder, name, onread) =>
      connectToUnixSocket(
        { base: homeOf(options), folder: split(folder, 'open folder') },
        name,
        options.as?.uid ?? process.getuid?.(),
        onread,
      ),
    files: (base, folder = '') => {
      const disk = worker.disk({
        base: fromHome(base, homeOf(options)),
        folder: split(folder, 'open folder'),
      })
      return filesOn({ disk: () => Promise.resolve(disk), pack: disk.pack })
    },
    linksBlockedReason: isAccount ? null : LINKS_BLOCKED,
    filesBeyond: (folder) => {
      if (!isAccount) throw new TransportError('open folder', 'denied', LINKS_BLOCKED)
      const disk = followingLinks(worker.disk(wholeMachine), split(folder, 'open folder'))
      const pack = (packed: Parts) => disk.pack(fromTop(packed))
      return filesOn({ disk: () => Promise.resolve(disk), pack, split: splitAnywhere })
    },
    state: () => state,
    healthy: () => true,
    onStateChange: () => () => undefined,
    close: async () => {
      shells.close()
      worker.close()
    },
  }
}

/** The server's own account may read more than the user, so a link could lead to other users' files. */
const LINKS_BLOCKED =
  'Only files in your home are shown here: the console cannot act as your own account on this machine'

/** A persistent shell has a fixed folder and environment, and accepts only text as input. */
const isForShell = ({ brief, cwd, env, stdin = '' }: ExecOptions) =>
  brief && cwd === undefined && env === undefined && typeof stdin === 'string' && !stdin.includes('\0')

/** The input of a command that is started before the input may be passed on. */
const heldIn = ({ inputAfter, stdin }: ExecOptions) => (inputAfter ? (stdin?.toString() ?? '') : undefined)

/** Resolves `~` and `~/x` in the home; other paths must be absolute. */
function fromHome(root: string, home: string): string {
  if (root === '~' || root.startsWith('~/')) return path.join(home, root.slice(2))
  if (!path.isAbsolute(root))
    throw new TransportError('open folder', 'bad name', `"${root}" must begin with "/" or "~".`)
  return root
}
