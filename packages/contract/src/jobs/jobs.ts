import * as z from 'zod/mini'
import { del, get, post, put } from '../endpoint'
import { Done, Id, Page, Removed, Time } from '../lists'
import { Manager } from '../clusters/inputs'
import { arrayTasks } from './array'
import { OutputSearch, OutputSearchQuery } from './output-search'

export const JOB_DEFAULTS = { cores: 1, nodes: 1, gpus: 0, walltime: '01:00:00' } as const

const whole = (min: number, max: number, message: string) =>
  z.number(message).check(z.int(message), z.minimum(min, message), z.maximum(max, message))
const WALLTIME = 'Enter the wall time as HH:MM:SS, such as 01:00:00, or D-HH:MM:SS, such as 2-00:00:00'
const Walltime = z.string().check(
  z.trim(),
  z.regex(/^(\d{1,3}-)?\d{1,4}:[0-5]\d:[0-5]\d$/, WALLTIME),
  z.refine((value) => walltimeSeconds(value) > 0, 'Must be more than 0'),
)
export function walltimeSeconds(walltime: string): number {
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] =
    /^(?:(\d+)-)?(\d+):(\d+):(\d+)$/.exec(walltime) ?? []
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/** An error that the resource manager would only detect later, or null. */
export function scriptProblem(script: string): string | null {
  const isIdle = script.split('\n').every((line) => /^\s*(#|$)/.test(line))
  return malformed(script) ?? (isIdle ? 'Enter the commands to run. The script has only comments.' : null)
}

function malformed(script: string): string | null {
  if (script.trim() === '') return 'Enter the commands to run'
  const [first = ''] = script.split('\n', 1)
  if (script.includes('\r\n')) return 'The script has Windows line endings, which shells do not understand'
  if (/^\s+#!/.test(script) || script.startsWith('\uFEFF'))
    return 'The first line must begin with #!, with nothing before it'
  if (first.startsWith('#!') && !/^#!\s*\/\S+/.test(first))
    return 'The first line must name an interpreter by its full path, such as #!/bin/bash'
  return null
}

const Script = (problemOf: (script: string) => string | null) =>
  z.string().check(
    z.maxLength(500_000, 'The script is too long'),
    z.superRefine((script, context) => {
      const problem = problemOf(script)
      if (problem) context.addIssue(problem)
    }),
  )

export const JobData = z.object({
  /** Per node. */
  cores: z._default(whole(1, 4096, 'Enter a whole number of cores, at least 1'), JOB_DEFAULTS.cores),
  nodes: z._default(whole(1, 10_000, 'Enter a whole number of nodes, at least 1'), JOB_DEFAULTS.nodes),
  /** Per node. */
  gpus: z._default(whole(0, 64, 'Enter a whole number of GPUs'), JOB_DEFAULTS.gpus),
  walltime: z._default(Walltime, JOB_DEFAULTS.walltime),
  /** Task numbers of a job array, such as 1-10 or 1,3,5 or 1-100%4; empty for a single job. */
  array: z._default(z.string().check(z.trim(), z.maxLength(100)), ''),
  /** Jobs that were saved without a command must stay readable. */
  script: Script(malformed),
})
export type JobData = z.infer<typeof JobData>

const JobName = z
  .string()
  .check(
    z.trim(),
    z.minLength(2, 'Min character length is 2'),
    z.maxLength(64, 'Max character length is 64'),
    z.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'Use letters, numbers, spaces, dots, dashes and underscores'),
  )
const TaskNumbers = z.string().check(
  z.trim(),
  z.maxLength(100, 'Max character length is 100'),
  z.refine(
    (array) => arrayTasks(array) !== null,
    'Enter task numbers such as 1-10 or 1,3,5. Use 1-10%4 to run four at a time.',
  ),
)
export const JobInput = z.object({
  name: JobName,
  description: z._default(z.string().check(z.maxLength(1000)), ''),
  data: z.extend(JobData, { script: Script(scriptProblem), array: z._default(TaskNumbers, '') }),
})
export const JobUpdate = z.extend(JobInput, { id: Id })

const submissionStates = [
  'submitting',
  'queued',
  'blocked',
  'running',
  'completed',
  'failed',
  /** Stopped because it exceeded its wall time. */
  'timed_out',
  'canceled',
  'lost',
] as const
export const Submission = z.object({
  id: Id,
  jobId: Id,
  jobName: z.string(),
  cluster: z.object({ id: Id, name: z.string() }),
  submittedBy: z.string(),
  runAsAdmin: z.boolean(),
  /** The resource manager's own id of it. */
  nativeId: z.nullable(z.string()),
  state: z.enum(submissionStates),
  /** Why it waits or failed, in plain text. */
  reason: z.nullable(z.string()),
  submittedAt: Time,
  startedAt: z.nullable(Time),
  endedAt: z.nullable(Time),
  exitCode: z.nullable(z.number()),
  nodeList: z.nullable(z.string()),
  /** The folder of its output, relative to the home of the account that ran it. */
  folder: z.string(),
  usage: z.nullable(
    z.object({
      cpuSeconds: z.nullable(z.number()),
      memoryMb: z.nullable(z.number()),
      wallSeconds: z.nullable(z.number()),
    }),
  ),
  /**
   * An operation that the resource manager has not accepted yet and that is retried at `nextAt`: the submission or the
   * cancellation.
   */
  retry: z.nullable(
    z.object({ of: z.enum(['submit', 'cancel']), tries: z.number(), nextAt: Time, reason: z.string() }),
  ),
  /** The job as it was submitted. */
  data: JobData,
})
export type Submission = z.infer<typeof Submission>

/** The tasks of an array that are in one state, as `1-5,9`. */
export const TaskGroup = z.object({ state: z.enum(submissionStates), count: z.number(), tasks: z.string() })
export type TaskGroup = z.infer<typeof TaskGroup>

export const Job = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  data: JobData,
  owner: z.string(),
  createdAt: Time,
  updatedAt: Time,
  lastSubmission: z.nullable(Submission),
})
export type Job = z.infer<typeof Job>

/** One file that a submission wrote. */
export const Output = z.object({
  submission: Id,
  file: z.string(),
  size: z.number(),
  modifiedAt: Time,
  cluster: z.string(),
  state: z.enum(submissionStates),
})
export type Output = z.infer<typeof Output>

/**
 * A piece of an output file, and the offset of the next. Bytes that are not valid text are shown as replacement
 * characters.
 */
const OutputPiece = z.object({
  text: z.string(),
  from: z.number(),
  next: z.number(),
  size: z.number(),
  binary: z.boolean(),
  running: z.boolean(),
})

export const jobs = {
  list: get('/api/jobs/', {
    summary: 'List your jobs, newest first. Admins see all jobs',
    access: 'user',
    query: Page,
    reply: z.array(Job),
  }),
  view: get('/api/jobs/:id', { summary: 'Get a job', access: 'user', reply: Job }),
  create: post('/api/jobs/', {
    summary: 'Create a job (form field `job` as JSON text, or JSON `{job}`)',
    access: 'user',
    tokens: 'jobs',
    wrapper: 'job',
    body: JobInput,
    reply: Job,
    status: 201,
    failure: 'form',
  }),
  update: put('/api/jobs/', {
    summary: 'Update a job (form field `job`)',
    access: 'user',
    tokens: 'jobs',
    wrapper: 'job',
    body: JobUpdate,
    reply: Job,
    failure: 'form',
    adminScope: true,
  }),
  remove: del('/api/jobs/:id', {
    summary: 'Delete a job and its history. Its output files stay on the clusters',
    access: 'user',
    tokens: 'jobs',
    reply: Removed,
    adminScope: true,
  }),
  preview: post('/api/jobs/preview', {
    summary: 'Preview the script as the resource manager receives it',
    access: 'user',
    tokens: 'jobs',
    wrapper: 'job',
    body: JobInput,
    beside: z.object({ manager: Manager }),
    reply: z.object({ script: z.string() }),
    failure: 'form',
  }),
  submit: post('/api/jobs/submit', {
    summary: 'Submit a job to a cluster. Requests with the same `key` submit it once',
    access: 'user',
    tokens: 'jobs',
    confirm: 'for `runAsAdmin`, which access tokens cannot use',
    body: z.object({
      id: Id,
      cluster: Id,
      runAsAdmin: z._default(z.boolean(), false),
      /**
       * The job's `updatedAt` that the caller read: an admin runs another user's job only if it has not changed since.
       */
      seen: z.optional(Time),
      key: z.optional(z.string().check(z.maxLength(64))),
    }),
    reply: Submission,
    status: 201,
  }),
  cancel: post('/api/jobs/cancel', {
    summary:
      'Cancel a submission (`job` is its id). With `purge`, admins remove a job from the queue when its node does not respond',
    access: 'user',
    tokens: 'jobs',
    body: z.object({ job: Id, cluster: Id, purge: z._default(z.boolean(), false) }),
    reply: Submission,
    adminScope: true,
  }),
  submissions: get('/api/jobs/:id/submissions', {
    summary: 'List the submissions of a job, newest first',
    access: 'user',
    query: Page,
    reply: z.array(Submission),
  }),
  submission: get('/api/jobs/submissions/:id', {
    summary: 'Get a submission',
    access: 'user',
    reply: Submission,
  }),
  tasks: get('/api/jobs/submissions/:id/tasks', {
    summary: 'List the tasks of a submitted array by state. Empty for a single job',
    access: 'user',
    reply: z.array(TaskGroup),
  }),
  outputs: get('/api/jobs/outputs/:id', {
    summary: 'List the output files of a job’s submissions, or null',
    access: 'user',
    reply: z.nullable(z.array(Output)),
  }),
  output: get('/api/jobs/output/:job/:submission/:file', {
    summary: 'Read part of an output file',
    access: 'user',
    query: z.object({
      from: z.optional(z.coerce.number()),
      limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1_000_000)), 200_000),
    }),
    reply: OutputPiece,
  }),
  searchOutput: get('/api/jobs/searchOutput/:job/:submission/:file', {
    summary:
      'Search an output file for `text`, ignoring case, or for errors with `errors=true`. To continue, pass `next` and `nextLine` as `from` and `line` until `done`',
    access: 'user',
    query: OutputSearchQuery,
    reply: OutputSearch,
  }),
  downloadOutput: get('/api/jobs/downloadOutput/:job/:submission/:file', {
    summary: 'Download an output file',
    access: 'user',
    reply: { file: 'text/plain; charset=utf-8' },
  }),
  deleteOutput: del('/api/jobs/deleteOutput/:id', {
    summary: 'Delete the output files of submissions',
    access: 'user',
    tokens: 'jobs',
    body: z.object({ jobs: z.array(Id).check(z.minLength(1), z.maxLength(500)) }),
    reply: Done,
    adminScope: true,
  }),
}
