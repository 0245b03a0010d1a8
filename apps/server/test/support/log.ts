import { pino, type Logger } from 'pino'

/** What the server would log, kept for looking at; LOG_LEVEL=debug also prints it. */
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
