import { directiveLines } from '@flotilla/contract/jobs/directives'
import { newFence } from './fence'
import { checkRequest, oneLine, runnable, withDirectives } from './request'
import {
  belongsTo,
  type CommandResult,
  type JobRequest,
  type Query,
  type QueuedJob,
  type Scheduler,
} from './scheduler'
import { refuseTruncated, SchedulerError } from './error'
import { NO_LOG, readCompletionLog, readCompletions } from './slurm/completion-log'
import { output, slurmError } from './slurm/errors'
import {
  readAccounting,
  readCompletion,
  readMarks,
  sacct,
  sacctCompletion,
  sacctMarks,
} from './slurm/history'
import { comment, readJobs, squeue } from './slurm/jobs'
import { readNodes, showNodes } from './slurm/nodes'
import { readUsage, sacctUsage } from './slurm/usage'

/** Slurm 22.05 and newer, used through its commands. */
export const slurm: Scheduler = {
  preview: (job) =>
    withDirectives(job.script, 'slurm', [
      ...options(job).map(([name, value]) => `--${name}=${quoted(value)}`),
      ...flags(job),
    ]),

  submit(job, mark) {
    checkRequest(job, mark)
    const given = [...options(job), ['comment', comment(mark)] as const]
    return {
      argv: ['sbatch', '--parsable', ...given.map(([name, value]) => `--${name}=${value}`), ...flags(job)],
      stdin: runnable(job.script),
      waitsForInput: true,
      parse(result) {
        // It is `12;cluster` if there are several clusters.
        const id = /^(\d+)(?:;.*)?$/m.exec(output('sbatch', result))?.[1]
        if (!id) throw slurmError('sbatch', result)
        return id
      },
    }
  },

  findByMark(mark) {
    const fence = newFence()
    return [
      {
        // Only the account's own jobs count, since anyone can write a mark.
        argv: squeue(fence, '--me'),
        parse(result) {
          const job = readJobs(output('squeue', result), fence).find((each) => each.mark === mark)
          return job && (job.arrayId ?? job.id)
        },
      },
      {
        argv: sacctMarks(fence),
        parse: (result) => (kept(result) ? readMarks(output('sacct', result), fence, mark) : undefined),
      },
    ]
  },

  // Without -v, canceling a job that does not exist looks like success.
  cancel: (id) => ({
    argv: ['scancel', '-v', oneJob(id)],
    parse(result) {
      if (result.code !== 0 || /error:/.test(result.stderr)) throw slurmError('scancel', result)
    },
  }),
  hold: (id) => change(['scontrol', 'hold', oneJob(id)]),
  release: (id) => change(['scontrol', 'release', oneJob(id)]),
  // Slurm's limits are in whole minutes.
  extend: (id, seconds) =>
    change(['scontrol', 'update', `JobId=${oneJob(id)}`, `TimeLimit=${Math.ceil(seconds / 60)}`]),

  queue() {
    const fence = newFence()
    return { argv: squeue(fence), parse: (result) => readJobs(output('squeue', result), fence) }
  },

  jobDetail(id) {
    const fence = newFence()
    return {
      argv: squeue(fence, `--jobs=${oneJob(id)}`),
      parse(result) {
        const jobs = readJobs(output('squeue', result), fence).filter((job) => belongsTo(job, id))
        // With several ids, or with the id of an array, Slurm silently omits unknown ones.
        if (!jobs.length) throw slurmError('squeue', { ...result, stderr: 'Invalid job id specified' })
        return jobs
      },
    }
  },

  history(ids) {
    const fence = newFence()
    ids.forEach(oneJob)
    return [
      {
        argv: squeue(fence, `--jobs=${ids.join()}`),
        parse: (result) => (remembered(result) ? ended(readJobs(output('squeue', result), fence)) : []),
      },
      {
        argv: sacct(fence, ids),
        parse: (result) => (kept(result) ? readAccounting(output('sacct', result), fence) : []),
      },
      {
        argv: sacctCompletion(fence, ids),
        // If this last resort fails too, there is no other source.
        parse: (result) => (result.code === 0 ? readCompletion(result.stdout, result.stderr, fence) : []),
      },
    ]
  },

  usage(from, to) {
    const fence = newFence()
    return [
      {
        argv: sacctUsage(fence, from, to),
        parse(result) {
          refuseTruncated(result)
          return kept(result) ? { records: readUsage(output('sacct', result), fence) } : null
        },
      },
      {
        argv: readCompletionLog(from, to),
        parse(result) {
          refuseTruncated(result)
          return result.code === NO_LOG ? null : readCompletions(output('scontrol', result), to)
        },
      },
    ]
  },

  nodes: () => ({ argv: showNodes(), parse: (result) => readNodes(output('scontrol', result)) }),

  nodeDetail: (name) => ({
    argv: showNodes(name),
    parse(result) {
      const [node] = readNodes(output('scontrol', result))
      if (node?.name !== name) throw slurmError('scontrol', { ...result, stderr: `Node ${name} not found` })
      return node
    },
  }),

  drain: (name, reason) =>
    change([
      'scontrol',
      'update',
      `NodeName=${oneNode(name)}`,
      'State=DRAIN',
      `Reason=${oneLine(reason) || 'drained'}`,
    ]),
  resume: (name) => change(['scontrol', 'update', `NodeName=${oneNode(name)}`, 'State=RESUME']),
}

function options(job: JobRequest): (readonly [name: string, value: string])[] {
  const perTask = job.array === undefined ? '' : '-%a'
  const path = (value: string) => value.replaceAll('%', '%%') + perTask
  return [
    ['job-name', oneLine(job.name) || 'job'],
    ['nodes', String(job.nodes)],
    // One task per core, which is the meaning of `ppn` and what mpirun and srun expect.
    ['ntasks-per-node', String(job.cores)],
    ...(job.gpus ? [['gpus-per-node', String(job.gpus)] as const] : []),
    ['time', job.walltime],
    ...(job.array === undefined ? [] : [['array', job.array] as const]),
    ...(job.partition ? [['partition', job.partition] as const] : []),
    ...(job.account ? [['account', job.account] as const] : []),
    ['chdir', job.workdir],
    ['output', path(job.stdoutPath)],
    ...(job.stderrPath ? [['error', path(job.stderrPath)] as const] : []),
    // A job that Slurm restarts after a node failure must not erase output that may have been read already.
    ['open-mode', 'append'],
  ]
}

/**
 * Most versions of sbatch translate `#PBS` lines after the `#SBATCH` ones: `nodes=3:ppn=2` would become six tasks in
 * addition to the form's nodes and cores. The flag is only set if there are such lines, since some versions lack it.
 */
const flags = (job: JobRequest) => (directiveLines(job.script, 'torque').length ? ['--ignore-pbs'] : [])

/** Quotes a value as sbatch parses its directives. */
const quoted = (value: string) =>
  /^[\w./:%,+=@-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`

const change = (argv: [string, ...string[]]): Query<void> => ({
  argv,
  parse: (result) => void output(argv[0], result),
})

/** Rejects other texts, which could be parsed as an option or as all jobs of a user. */
function oneJob(id: string): string {
  if (/^\d+(_(\d+|\[[\d,:-]+\]))?$/.test(id)) return id
  throw new SchedulerError('unknown_job', 'Not a Slurm job id. Check the queue.', id)
}

/** Rejects lists such as `n[1-9]` or `ALL`, which Slurm would apply to many nodes. */
function oneNode(name: string): string {
  if (/^[\w.-]+$/.test(name) && name.toUpperCase() !== 'ALL') return name
  throw new SchedulerError('invalid', 'Not a node name. Check the list of nodes.', name)
}

const ended = (jobs: QueuedJob[]) => jobs.filter(({ state }) => state === 'completed')

const failsWith = (program: string, result: CommandResult) =>
  result.code === 0 ? undefined : slurmError(program, result).code

/** squeue fails if its only id has been forgotten; with several ids it does not. */
const remembered = (result: CommandResult) => failsWith('squeue', result) !== 'unknown_job'

/** Whether the cluster has accounting. */
const kept = (result: CommandResult) => failsWith('sacct', result) !== 'not_installed'
