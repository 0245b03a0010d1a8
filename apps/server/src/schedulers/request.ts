import { directiveLines, directivePrefixes } from '@flotilla/contract/jobs/directives'
import { SchedulerError } from './error'
import type { JobRequest } from './scheduler'

/** Parses `HH:MM:SS` or `D-HH:MM:SS` into seconds. */
export function walltimeSeconds(walltime: string): number {
  const match = /^(?:(\d{1,4})-)?(\d{1,4}):([0-5]?\d):([0-5]?\d)$/.exec(walltime)
  if (!match) throw new SchedulerError('invalid', 'Enter the wall time as HH:MM:SS or D-HH:MM:SS.', walltime)
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0))
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
}

/** The number of tasks in `0-9,20-40:5%3`. */
export const countTasks = (array: string): number =>
  ranges(array).reduce((sum, { first, last, step }) => sum + Math.floor((last - first) / step) + 1, 0)

/** The task numbers in `0-9,20-40:5%3`. */
export const taskNumbers = (array: string): number[] =>
  ranges(array).flatMap(({ first, last, step }) =>
    Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step),
  )

/** The same tasks without steps, which not every resource manager supports. */
export function withoutSteps(array: string): string {
  const limit = /%\d+$/.exec(array)?.[0] ?? ''
  const parts = ranges(array).map(({ first, last, step }) => {
    if (first === last) return String(first)
    return step === 1 ? `${first}-${last}` : taskNumbers(`${first}-${last}:${step}`).join()
  })
  return parts.join() + limit
}

interface Range {
  first: number
  last: number
  step: number
}

function ranges(array: string): Range[] {
  return array
    .replace(/%\d+$/, '')
    .split(',')
    .map((part) => {
      const match = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(part)
      const first = Number(match?.[1])
      const last = Number(match?.[2] ?? first)
      const step = Number(match?.[3] ?? 1)
      if (!match || last < first || step < 1)
        throw new SchedulerError(
          'invalid',
          'Enter array tasks as 0-9, 1-99:2 or 1,5,7. Add %4 to run at most four at a time.',
          array,
        )
      return { first, last, step }
    })
}

/** Rejects requests that a resource manager would misread or reject with a less helpful message. */
export function checkRequest(job: JobRequest, mark: string, leastCores = 1): void {
  const refuse = (message: string) => {
    throw new SchedulerError('invalid', message)
  }
  for (const [name, value, least] of [
    ['nodes', job.nodes, 1],
    ['cores', job.cores, leastCores],
    ['GPUs', job.gpus, 0],
  ] as const)
    if (!Number.isInteger(value) || value < least) refuse(`The number of ${name} must be ${least} or more.`)
  if (walltimeSeconds(job.walltime) === 0) refuse('The wall time must be greater than zero.')
  if (job.array !== undefined) countTasks(job.array)
  if (!job.script.trim()) refuse('The script is empty.')
  if (job.script.includes('\0')) refuse('The script contains a NUL byte, so it is not text.')
  // Control characters would be unreadable wherever paths and names are shown, and no argument can contain a NUL byte.
  const texts = [job.workdir, job.stdoutPath, job.stderrPath, job.partition, job.account]
  if (texts.some((text) => text !== undefined && hasControl(text)))
    refuse('Paths and names cannot contain control characters.')
  if (!/^[\w.-]{1,100}$/.test(mark))
    throw new Error(`a mark must be a plain word, not ${JSON.stringify(mark)}`)
}

// oxlint-disable-next-line no-control-regex
const hasControl = (text: string) => /[\0-\x1f\x7f]/.test(text)

/** Replaces control characters by spaces, since a job's name must be a single line. */
// oxlint-disable-next-line no-control-regex
export const oneLine = (text: string): string => text.replace(/[\0-\x1f\x7f]+/g, ' ').trim()

/** The script with an interpreter line and Unix line endings, as resource managers require. */
export function runnable(script: string): string {
  const text = script.replace(/\r\n?/g, '\n')
  const whole = text.startsWith('#!') ? text : `#!/bin/bash\n${text}`
  return whole.endsWith('\n') ? whole : `${whole}\n`
}

/**
 * The script with the options as directives after its own: the later of two directives wins, and options win when they
 * are passed to the command.
 */
export function withDirectives(script: string, manager: 'slurm' | 'torque', options: string[]): string {
  const text = runnable(script)
  const own = directiveLines(text, manager).filter(({ tooLate }) => !tooLate)
  return withLines(
    text,
    own.at(-1)?.line ?? 1,
    options.map((option) => `${directivePrefixes[manager]} ${option}`),
  )
}

/** The script with lines added below one of its own, counted from 1. */
export function withLines(script: string, below: number, added: string[]): string {
  const lines = runnable(script).split('\n')
  return [...lines.slice(0, below), ...added, ...lines.slice(below)].join('\n')
}

/** The path of the output of a job or of one task of its array. */
export const outputPath = (path: string, arrayTask?: string): string =>
  arrayTask === undefined ? path : `${path}-${arrayTask}`
