import { existsSync } from 'node:fs'
import * as z from 'zod/mini'
import { refusalOf, type SandboxSupport } from '../sandbox/isolation'
import type { Config, Job } from '../journal/state'
import { parseTasks } from '@flotilla/contract/jobs/array'

export type RefusalCode = 'unknown_job' | 'infeasible' | 'not_permitted' | 'invalid' | 'disk_full' | 'unknown'

/** The rejection of a command, with its reason. */
export class Refused extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message)
  }
}

const upTo = (most: number) =>
  z.string().check(
    z.maxLength(most),
    z.refine((value) => !value.includes('\0'), 'contains a NUL byte'),
  )
const whole = (least: number, most: number) => z.number().check(z.int(), z.minimum(least), z.maximum(most))
const absolute = upTo(4000).check(z.regex(/^\//, 'must begin with /'))

const NodeName = z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,62}$/))

const Account = z.object({
  uid: whole(0, 2 ** 32 - 2),
  gid: whole(0, 2 ** 32 - 2),
  username: upTo(64),
  home: absolute,
})

export const SubmitRequest = z.object({
  name: upTo(1000),
  nodes: whole(1, 100_000),
  cores: whole(0, 100_000),
  gpus: whole(0, 100_000),
  limitS: whole(1, 10_000 * 24 * 3600),
  script: upTo(4 * 1024 * 1024),
  array: z.optional(z.string()),
  workdir: absolute,
  stdoutPath: upTo(4000),
  stderrPath: z.optional(upTo(4000)),
  mark: z.string().check(z.regex(/^[\w.-]{1,100}$/)),
  runAs: z.nullable(Account),
  network: z._default(
    z.object({
      machine: z.boolean(),
      block: z.array(z.object({ address: upTo(64).check(z.regex(/^[\da-f.:]+$/i)), port: whole(1, 65_535) })),
    }),
    { machine: false, block: [] },
  ),
  env: z._default(z.record(z.string().check(z.regex(/^[A-Za-z_]\w*$/)), upTo(100_000)), {}),
})
export type SubmitRequest = z.infer<typeof SubmitRequest>

const ConfigureRequest = z.object({
  nodes: z.array(
    z.object({
      name: NodeName,
      cores: whole(1, 100_000),
      gpus: whole(0, 1_000),
      memoryMb: z.optional(whole(1, 2 ** 40)),
      processes: z.optional(whole(1, 2 ** 22)),
      off: z.optional(z.boolean()),
    }),
  ),
  hide: z._default(z.array(absolute), []),
  readOnly: z._default(z.array(absolute), []),
})

function checked<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const result = z.safeParse(schema, value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Refused('invalid', `The request is invalid: ${issue?.path.join('.')} ${issue?.message ?? ''}`)
}

export function readConfig(value: unknown): Config {
  const config = checked(ConfigureRequest, value)
  const names = new Set(config.nodes.map(({ name }) => name))
  if (names.size < config.nodes.length) throw new Refused('invalid', 'Two nodes have the same name.')
  return config
}

export const readSubmit = (value: unknown): SubmitRequest => checked(SubmitRequest, value)

/** The interpreter from the shebang line, parsed as the kernel does: a program and at most one argument. */
function interpreterOf(script: string): string[] {
  const match = /^#![ \t]*(\S+)(?:[ \t]+(.*?))?[ \t\r]*(?:\n|$)/.exec(script)
  const program = match?.[1]
  if (!program) return [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh']
  if (!program.startsWith('/'))
    throw new Refused(
      'invalid',
      `The first line of the script names "${program}"; it must be a path that begins with /.`,
    )
  return match[2] ? [program, match[2]] : [program]
}

/** The job to record. Throws the reason if the request is rejected. */
export function newJob(
  request: SubmitRequest,
  given: {
    id: number
    now: number
    support: SandboxSupport
    config: Config
    self: string
    /** Called after all checks have passed. */
    keepScript: (text: string) => string
  },
): Job {
  const { script: _, array, ...fields } = request
  const tasks = array === undefined ? undefined : parseTasks(array)
  if (array !== undefined && !tasks)
    throw new Refused(
      'invalid',
      'Enter array tasks as 0-9, 1-99:2 or 1,5,7. Add %4 to run at most four at a time.',
    )
  const refused = refusalOf(given.support, fields.runAs, given.config)
  if (refused !== null) throw new Refused('not_permitted', refused)
  const interpreter = interpreterOf(request.script)
  return {
    id: given.id,
    ...fields,
    user: fields.runAs?.username ?? given.self,
    interpreter,
    script: given.keepScript(request.script),
    submitTime: given.now,
    ...(tasks && { array: { limit: tasks.limit } }),
    tasks: (tasks?.numbers ?? [undefined]).map((number) => ({ number, state: 'waiting', attempt: 0 })),
  }
}

/** Parses `12`, `12_3` and `12_[4-9,12]` into a job's id and the tasks of its array, unless all are meant. */
export function readJobId(text: string): { id: number; tasks?: number[] } {
  const match = /^(\d{1,12})(?:_(?:(\d{1,9})|\[([\d,:-]+)\]))?$/.exec(text)
  const list = match?.[3] === undefined ? undefined : parseTasks(match[3])
  if (!match || (match[3] !== undefined && !list))
    throw new Refused('unknown_job', `"${text}" is not a job id. Check the queue.`)
  return { id: Number(match[1]), tasks: match[2] === undefined ? list?.numbers : [Number(match[2])] }
}
