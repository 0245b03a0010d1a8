import { watch } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'

export interface Line {
  text: string
  /** The position after the line. */
  end: number
}

const pieceBytes = 256 * 1024
const newline = 0x0a
/** How often to poll for changes that the file watcher misses, which are rare. */
const pollMs = 50

/** A wait with a timeout that can be ended early. */
function bell() {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(ms: number) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
      wake = undefined
    },
  }
}

/** The system limits file watches; without one, polling has to suffice. */
function watching(folder: string, onChange: () => void) {
  try {
    return watch(folder, onChange).on('error', () => undefined)
  } catch {
    return undefined
  }
}

export interface LinesOptions {
  file: string
  from: number
  /** Whether nothing more will be written. */
  isOver(): boolean
  signal: AbortSignal
}

/**
 * Yields the lines of a file as they are written, until its writer has ended; a last line without a line break counts
 * too.
 */
export async function* lines({ file, from, isOver, signal }: LinesOptions): AsyncGenerator<Line, void> {
  const wake = bell()
  const watcher = watching(path.dirname(file), wake.ring)
  signal.addEventListener('abort', wake.ring)
  const handle = await open(file, 'r')
  try {
    const piece = Buffer.alloc(pieceBytes)
    let at = from
    let rest = Buffer.alloc(0)
    while (!signal.aborted) {
      // Checked before the read, so that everything written before the end is read.
      const over = isOver()
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, at + rest.length)
      if (bytesRead > 0) {
        rest = Buffer.concat([rest, piece.subarray(0, bytesRead)])
        for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
          at += end + 1
          yield { text: rest.toString('utf8', 0, end), end: at }
          rest = rest.subarray(end + 1)
        }
      } else if (over) {
        if (rest.length > 0) yield { text: rest.toString('utf8'), end: at + rest.length }
        return
      } else await wake.wait(pollMs)
    }
  } finally {
    signal.removeEventListener('abort', wake.ring)
    watcher?.close()
    await handle.close()
  }
}
