import { pino, type Logger } from 'pino'

/** A logger that keeps its lines for assertions; LOG_LEVEL=debug also prints them. */
export function testLog(): { log: Logger; lines: () => string } {
  let written = ''
  const log = pino(
    { level: 'debug' },
    {
      write: (line: string) => {
        written += line
        if (process.env.LOG_LEVEL === 'debug') process.stderr.write(line)
      },
    },
  )
  return { log, lines: () => written }
}
