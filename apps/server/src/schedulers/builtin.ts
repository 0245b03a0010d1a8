import { coresText } from '@flotilla/contract/count-text'
import * as z from 'zod/mini'
import type { Network } from '../executor/sandbox/network'
import { JobRow, NodeRow } from '../executor/journal/row-schemas'
import { FILES } from '../executor/daemon/wire'
import { SchedulerError } from './error'
import { checkRequest, oneLine, runnable, walltimeSeconds, withLines } from './request'
import { usageOf, type CommandResult, type JobRequest, type Query, type Scheduler } from './scheduler'

export interface BuiltinOptions {
  /** The command that starts the executor: `[process.execPath, '/path/to/dist/cli/executor.js']`. */
  program: string[]
  /** The folder with all of its files; created if it is missing. */
  spool: string
  /** The account that jobs run as; null for the server's own account, which only an admin may choose. */
  runAs: { uid: number; gid: number; username: string; home: string } | null
  /** The network of its jobs; by default they can reach nothing on this machine. */
  network?: Network
}

export interface VirtualNode {
  name: string
  cores: number
  gpus: number
  memoryMb?: number
  /** The maximum number of processes of a job on this node. */
  processes?: number
  /** Its machine is not running. */
  off?: boolean
}

/** Folders that are hidden from jobs that share the server's account, and folders that are read-only for them. */
export interface Fences {
  hide: string[]
  readOnly?: string[]
}

const JobRows = z.array(JobRow)
const NodeRows = z.array(NodeRow)

/** The executor chooses its heartbeat interval; after this long without one it is considered hung. */
const SILENT_MS = 60_000
/** How long ended jobs are listed. They are filtered here because an idle executor exits without updating its files. */
const LATELY_MS = 10 * 60_000

/**
 * Prints a file that the executor maintains without querying it, so that no program slower than `cat` is started. An
 * executor that was killed is restarted first. If it exited because it was idle, the file is still current.
 */
const showFile = `spool=$1 file=$2 pid= born=
shift 2
alive() {
  { read -r line; while read -r more; do line="$line $more"; done; } 2>/dev/null <"/proc/$pid/stat" || return 1
  set -- \${line##*) }
  # A dead process that has not been reaped is still listed, as Z.
  [ $# -ge 20 ] && [ "$1" != Z ] && shift 19 && [ "$1" = "$born" ]
}
if [ -e "$spool/${FILES.pid}" ] || [ ! -e "$spool/$file" ]; then
  { read -r pid born <"$spool/${FILES.pid}"; } 2>/dev/null
  { [ -n "$born" ] && alive; } || "$@" ensure --spool "$spool" || exit
  exec cat "$spool/${FILES.alive}" "$spool/$file"
fi
echo null
exec cat "$spool/$file"`

/** The executor on the console's own machine. Its commands run as the server, never as the user. */
export function builtin(options: BuiltinOptions): Scheduler {
  const { spool } = options
  const run = (command: string, ...args: string[]) => runArgv(options, command, args)
  // Unchanged output is not parsed again: for ten thousand jobs, comparing takes 1 ms and parsing 100 ms.
  const reader = <T extends z.ZodMiniType>(file: string, schema: T) => {
    let last: { text: string; rows: z.output<T> } | undefined
    return () => ({
      argv: ['sh', '-c', showFile, 'show', spool, file, ...options.program],
      parse(result: CommandResult): z.output<T> {
        const text = checkAlive(output(result))
        if (last?.text !== text) last = { text, rows: read(schema, text) }
        return last.rows
      },
    })
  }
  const showQueue = reader(FILES.queue, JobRows)
  const showNodes = reader(FILES.nodes, NodeRows)
  const change = (...command: [string, ...string[]]): Query<void> => ({
    argv: run(...command),
    parse: (result) => void output(result),
  })
  const rows = (...command: [string, ...string[]]) => ({
    argv: run(...command),
    parse: (result: CommandResult) => read(JobRows, output(result)),
  })

  const scheduler: Scheduler = {
    preview: previewBuiltin,
    submit(job, mark) {
      // A desktop may request zero cores, because it is idle most of the time.
      checkRequest(job, mark, 0)
      return {
        argv: run('submit'),
        stdin: JSON.stringify({
          name: oneLine(job.name) || 'job',
          nodes: job.nodes,
          cores: job.cores,
          gpus: job.gpus,
          limitS: walltimeSeconds(job.walltime),
          script: runnable(job.script),
          array: job.array,
          mark,
          workdir: job.workdir,
          stdoutPath: job.stdoutPath,
          stderrPath: job.stderrPath,
          runAs: options.runAs,
          network: options.network,
        }),
        parse(result) {
          const id = output(result).trim()
          if (/^\d+$/.test(id)) return id
          throw unreadable(id)
        },
      }
    },
    findByMark: (mark) => [
      { argv: run('find', mark), parse: (result) => output(result).trim() || undefined },
    ],
    cancel: (id) => change('cancel', id),
    hold: (id) => change('hold', id),
    release: (id) => change('release', id),
    extend: (id, seconds) => change('extend', id, String(seconds)),
    queue() {
      const { argv, parse } = showQueue()
      const since = Date.now() - LATELY_MS
      return { argv, parse: (result) => parse(result).filter(({ endTime = Infinity }) => endTime > since) }
    },
    jobDetail: (id) => rows('job', id),
    history: (ids) => [rows('history', ...ids)],
    usage(from, to) {
      const { argv, parse } = rows('ended', String(from), String(to))
      return [{ argv, parse: (result) => ({ records: parse(result).flatMap((job) => usageOf(job) ?? []) }) }]
    },
    nodes: showNodes,
    nodeDetail(name) {
      const { argv, parse } = showNodes()
      return {
        argv,
        parse(result) {
          const node = parse(result).find((each) => each.name === name)
          if (node) return node
          throw new SchedulerError(
            'invalid',
            'The cluster has no node with this name. Check its list of nodes.',
            name,
          )
        },
      }
    },
    drain: (name, reason) => change('drain', name, oneLine(reason) || 'drained'),
    resume: (name) => change('resume', name),
  }
  optionsByScheduler.set(scheduler, options)
  return scheduler
}

/** The options of each scheduler, for functions that only the built-in executor has. */
const optionsByScheduler = new WeakMap<Scheduler, BuiltinOptions>()
function optionsOf(scheduler: Scheduler): BuiltinOptions {
  const options = optionsByScheduler.get(scheduler)
  if (!options) throw new Error('only the built-in executor has virtual nodes')
  return options
}

// `--` keeps an id or a node's name from being parsed as an option.
const runArgv = ({ program, spool }: BuiltinOptions, command: string, args: string[]) => [
  ...program,
  command,
  '--spool',
  spool,
  '--',
  ...args,
]

/** Sets the virtual nodes; jobs on removed nodes continue. */
export const configureNodes = (scheduler: Scheduler, nodes: VirtualNode[], fences?: Fences): Query<void> => ({
  argv: runArgv(optionsOf(scheduler), 'configure', []),
  stdin: JSON.stringify({ nodes, ...fences }),
  parse: (result) => void output(result),
})

/** A process in the network of a running job; undefined if the scheduler is not the built-in executor. */
export function processOf(scheduler: Scheduler, id: string): Query<number> | undefined {
  const options = optionsByScheduler.get(scheduler)
  return (
    options && {
      argv: runArgv(options, 'process', [id]),
      parse: (result) => Number(output(result)),
    }
  )
}

/** Cancels all waiting and running jobs at once. */
export const cancelAll = (scheduler: Scheduler): Query<void> => ({
  argv: runArgv(optionsOf(scheduler), 'cancel-all', []),
  parse: (result) => void output(result),
})

/** Stops the executor's process, not the jobs. */
export const shutDown = (scheduler: Scheduler): Query<void> => ({
  argv: runArgv(optionsOf(scheduler), 'stop', []),
  parse: (result) => void output(result),
})

/** The executor does not read directives; these lines show what it gets in addition to the script. */
export const previewBuiltin = (job: JobRequest): string =>
  withLines(
    job.script,
    1,
    [
      `Name: ${oneLine(job.name) || 'job'}`,
      `Nodes: ${job.nodes}, each with ${coresText(job)}`,
      `Wall time: ${job.walltime}`,
      ...(job.array === undefined
        ? []
        : [`Array tasks: ${job.array}, as SLURM_ARRAY_TASK_ID and PBS_ARRAYID`]),
      `Folder: ${oneLine(job.workdir)}`,
      `Output: ${oneLine(job.stdoutPath)}`,
      ...(job.stderrPath === undefined ? [] : [`Errors: ${oneLine(job.stderrPath)}`]),
    ].map((line) => `# ${line}`),
  )

const Failure = z.object({
  code: z.enum(['unknown_job', 'infeasible', 'not_permitted', 'invalid', 'disk_full', 'unknown']),
  message: z.string(),
})

function output({ code, stdout, stderr, truncated }: CommandResult): string {
  if (truncated)
    throw new SchedulerError(
      'unknown',
      'The executor has more jobs than can be shown at once. Cancel some of them.',
    )
  if (code === 0) return stdout
  if (code === 127)
    throw new SchedulerError('not_installed', 'The built-in executor is missing. Rebuild the server.', stderr)
  const line = stderr.trim().split('\n').at(-1) ?? ''
  const failure = line.startsWith('{') ? z.safeParse(Failure, JSON.parse(line)) : undefined
  if (failure?.success) throw new SchedulerError(failure.data.code, failure.data.message)
  throw new SchedulerError(
    'controller_down',
    'The built-in executor could not be started. See daemon.log in its folder. The console retries automatically.',
    stderr.trim().slice(-500),
  )
}

const unreadable = (text: string) =>
  new SchedulerError('unknown', 'The executor sent output that cannot be read.', text.slice(0, 500))

function read<T extends z.ZodMiniType>(schema: T, text: string): z.output<T> {
  try {
    return z.parse(schema, JSON.parse(text))
  } catch {
    throw unreadable(text)
  }
}

/** Checks the first line, which has the executor's heartbeat, and returns the rest. */
function checkAlive(text: string): string {
  const at = text.indexOf('\n')
  const alive = read(z.nullable(z.object({ at: z.number() })), text.slice(0, at))
  if (alive && Date.now() - alive.at > SILENT_MS)
    throw new SchedulerError('controller_down', 'The built-in executor has not responded for a minute.')
  return text.slice(at + 1)
}
