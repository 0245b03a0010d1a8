import path from 'node:path'
import { PassThrough } from 'node:stream'
import { checked, collect, killOn } from './collect'
import { TransportError } from './error'
import { filesOn } from './files'
import { localDisk } from './local-disk'
import { FilesWorker } from './local-files-client'
import { homeOf, starter, type LocalOptions } from './local-process'
import { Shells } from './local-shells'
import { localTerminal } from './local-terminal'
import type { ExecOptions, Transport } from './transport'

/** This machine, as the server's own account or, under root, as another. */
export function localTransport(options: LocalOptions & { filesWorker?: string } = {}): Transport {
  const start = starter(options)
  // tar is ours and is started in a folder held open; a namespace would take that folder away.
  const startTar = starter({ ...options, enter: [] })
  const other = options.as && options.as.uid !== process.getuid?.() ? options.as : undefined
  const worker = other && new FilesWorker(other, options.filesWorker)
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
    files: (root) => {
      const full = fromHome(root, homeOf(options))
      const disk = worker ? worker.disk(full) : localDisk(full)
      return filesOn({
        disk: () => Promise.resolve(disk),
        pack: async (parts) => {
          const { place, release } = await disk.hold(parts.slice(0, -1))
          try {
            const tar = await startTar(['tar', '-czf', '-', '--', `./${parts.at(-1) ?? ''}`], { cwd: place })
            // Node throws away what a program that has ended wrote, unless somebody is reading by then.
            return { ...tar, stdout: tar.stdout.pipe(new PassThrough()) }
          } finally {
            await release()
          }
        },
      })
    },
    state: () => state,
    healthy: () => true,
    onStateChange: () => () => undefined,
    close: async () => {
      shells.close()
      worker?.close()
    },
  }
}

/** A shell that stays has one folder and one environment, and takes no bytes that are not text. */
const isForShell = ({ brief, cwd, env, stdin = '' }: ExecOptions) =>
  brief && cwd === undefined && env === undefined && typeof stdin === 'string' && !stdin.includes('\0')

/** The input of a command that is started before it may have it. */
const heldIn = ({ inputAfter, stdin }: ExecOptions) => (inputAfter ? (stdin?.toString() ?? '') : undefined)

/** `~` and `~/x` are the home's; everything else must say where it begins. */
function fromHome(root: string, home: string): string {
  if (root === '~' || root.startsWith('~/')) return path.join(home, root.slice(2))
  if (!path.isAbsolute(root))
    throw new TransportError('open folder', 'bad name', `"${root}" must begin with "/" or "~".`)
  return root
}
