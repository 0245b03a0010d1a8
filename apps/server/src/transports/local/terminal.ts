import type { Duplex } from 'node:stream'
import { TransportError } from '../error'
import { shellOf, starter, type LocalOptions, type Start } from './process'
import { bounded } from '../terminal-size'
import type { Exit } from '../running'
import type { Terminal, TerminalSize } from '../transport'

/**
 * A terminal created by `script`, which Debian and Red Hat include: Node cannot create one without a native module. The
 * first command inside reports the terminal's name on pipe 3; `stty` sets its size there. Limits: a resize takes two
 * steps (rows, then columns), and a shell killed by a signal is reported with code 128 + number.
 */
const inside =
  'tty >&3; exec 3>&-; stty echo rows "$FLOTILLA_ROWS" cols "$FLOTILLA_COLS"; ' +
  'shell=$FLOTILLA_SHELL; unset FLOTILLA_ROWS FLOTILLA_COLS FLOTILLA_SHELL; export SHELL="$shell"; exec "$shell" -l'

/**
 * For an account that the system does not know, bash shows "I have no name!" in the prompt. The names are replaced
 * before each prompt, so that it also works for prompts set by profile files or by the user.
 */
const namedPrompt = ({ user, host }: NonNullable<LocalOptions['prompt']>): Record<string, string> => ({
  PROMPT_COMMAND: `PS1=\${PS1//\\\\u/${user}}; PS1=\${PS1//\\\\h/${host}}`,
})

export async function localTerminal(
  start: Start,
  options: LocalOptions,
  { term = 'xterm-256color', ...wanted }: TerminalSize & { term?: string },
): Promise<Terminal> {
  const size = bounded(wanted)
  const env = {
    TERM: term,
    // `script` passes its command to $SHELL, and not every shell supports `exec 3>&-`.
    SHELL: '/bin/sh',
    FLOTILLA_SHELL: shellOf(options),
    FLOTILLA_ROWS: String(size.rows),
    FLOTILLA_COLS: String(size.cols),
    ...(options.prompt && namedPrompt(options.prompt)),
  }
  const running = await start(['script', '-q', '-f', '-e', '-c', inside, '/dev/null'], { env }, 1)
  const name = await firstLine(running.pipe(3))
  if (!/^\/dev\/[\w/]+$/.test(name)) {
    await running.kill()
    throw new TransportError(
      'open terminal',
      'unusable',
      'A terminal could not be opened on this machine. It needs the program "script" (package bsdutils or util-linux) and /dev/pts.',
    )
  }
  running.stderr.resume()
  running.stdin.on('error', () => undefined)

  // A sandbox has its own terminals, so the name is only valid in the file system of its first process.
  const device = `/proc/${running.pid}/root${name}`
  const startPlain = starter({})
  let last: TerminalSize = size
  let resizing = Promise.resolve()
  const applySize = async (to: TerminalSize) => {
    // Of several resizes requested while one is in progress, only the newest is applied.
    if (to !== last) return
    const stty = await startPlain(
      ['stty', '-F', device, 'rows', String(to.rows), 'cols', String(to.cols)],
      {},
    )
    stty.stdout.resume()
    stty.stderr.resume()
    await stty.done
  }

  const listeners: ((data: Buffer) => void)[] = []
  const unwatch = options.watch?.(running.pid ?? 0, (reason) => {
    for (const listener of listeners) listener(Buffer.from(`\r\n${reason}\r\n`))
    void running.kill()
  })
  if (unwatch) void running.done.finally(unwatch)

  return {
    write: (data) => void (running.stdin.writable && running.stdin.write(data)),
    resize: (to) => {
      const next = bounded(to)
      last = next
      resizing = resizing.then(() => applySize(next)).catch(() => undefined)
    },
    onData: (listener) => {
      listeners.push(listener)
      running.stdout.on('data', listener)
    },
    onExit: (listener) =>
      void running.done.then(
        (exit: Exit) => listener(exit),
        () => listener({ code: null, signal: null }),
      ),
    pause: () => void running.stdout.pause(),
    resume: () => void running.stdout.resume(),
    kill: running.hangUp,
  }
}

/** Only the first line is read, because programs in the terminal can access the other end of the pipe. */
function firstLine(stream: Duplex): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stream.on('data', (data: Buffer) => {
      text += data.toString()
      if (text.includes('\n') || text.length > MOST_NAME) stream.destroy()
    })
    stream.on('error', () => resolve(''))
    stream.on('close', () => resolve(text.split('\n')[0] ?? ''))
  })
}
const MOST_NAME = 1000
