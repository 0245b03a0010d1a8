import type { Progress } from '../../backup/progress'
import { EnvironmentError } from '../../config'
import { messageOf } from '../../explain'

const EVERY_MS = 200
const steps: Record<Progress['step'], string> = {
  verify: 'Verifying the file',
  database: 'Database',
  files: 'Files',
}
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

function size(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

const describe = ({ step, rows, files, bytes, totalBytes }: Progress): string => {
  const share = totalBytes === null ? size(bytes) : `${Math.floor((100 * bytes) / Math.max(1, totalBytes))}%`
  return `${steps[step]}: ${rows} rows, ${files} files, ${share}`
}

/** Shows progress: on a terminal in one line that is overwritten, elsewhere with one line per step. */
export function showProgress() {
  const isTerminal = process.stderr.isTTY
  let shownAt = 0
  let step: Progress['step'] | undefined
  let isOpen = false
  return {
    size,
    show(progress: Progress): void {
      const isDue = isTerminal ? Date.now() - shownAt >= EVERY_MS : progress.step !== step
      if (!isDue) return
      shownAt = Date.now()
      step = progress.step
      isOpen = isTerminal
      process.stderr.write(isTerminal ? `\r\x1b[K${describe(progress)}` : `${steps[progress.step]} ...\n`)
    },
    /** Clears the line that is overwritten. */
    end(): void {
      if (isOpen) process.stderr.write('\r\x1b[K')
      isOpen = false
    },
  }
}

/** Runs a command, which returns false if its arguments do not match the usage. */
export async function commandLine(usage: string, command: () => Promise<boolean>): Promise<void> {
  try {
    if (await command()) return
    process.stderr.write(usage)
    process.exitCode = 2
  } catch (error) {
    const isMisuse =
      error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    process.stderr.write(`${messageOf(error)}\n${isMisuse ? `\n${usage}` : ''}`)
    if (process.env.LOG_LEVEL === 'debug' && error instanceof Error && !(error instanceof EnvironmentError))
      process.stderr.write(`${error.stack}\n`)
    process.exitCode = isMisuse ? 2 : 1
  }
}
