import { randomBytes } from 'node:crypto'
import { SchedulerError } from './error'

/**
 * A separator that cannot occur in a job's name: names can contain anything, even newlines and control characters,
 * and with a guessable separator one could forge other users' jobs.
 */
export const newFence = (): string => `~${randomBytes(6).toString('hex')}~`

/** Parses records of `width` fields. The fence follows each field and a newline follows each record. */
export function fenced(text: string, fence: string, width: number): string[][] {
  const fields = text.split(fence)
  const rest = fields.pop() ?? ''
  if (rest.trim() || fields.length % width)
    throw new SchedulerError(
      'unknown',
      'The resource manager sent output that cannot be read. Check its version and its log.',
      text.slice(0, 500),
    )
  return Array.from({ length: fields.length / width }, (_, index) => {
    const [first = '', ...others] = fields.slice(index * width, (index + 1) * width)
    return [index ? first.slice(1) : first, ...others]
  })
}
