import { torqueValues } from '@flotilla/contract/jobs/directives'
import { refuseTruncated, SchedulerError } from './error'
import { checkRequest, oneLine, runnable, walltimeSeconds, withDirectives, withoutSteps } from './request'
import {
  belongsTo,
  isSameAccount,
  type CommandResult,
  type JobRequest,
  type Query,
  type QueuedJob,
  type Scheduler,
} from './scheduler'
import { output, torqueError } from './torque/errors'
import { readEndFiles, showEnds } from './torque/end-files'
import { readTraces, traces } from './torque/history'
import { MARK, readJobs } from './torque/jobs'
import { readNodes } from './torque/nodes'
import { hiddenReason, showServer } from './torque/server'
import { NO_LOG, readEnds, readLog } from './torque/usage'
import { messagesPath, wrapped } from './torque/wrapper'

/** Lists every task of every array separately, with all attributes, as XML. */
const QSTAT = ['qstat', '-t', '-f', '-x']

const RETRY_DELAY_S = 1

const PURGE_REFUSED =
  'Torque lets only its managers purge jobs. To allow it, a site admin can run: qmgr -c "set server managers += account@host"'

/** Torque 6.1, used through its commands. */
export const torque: Scheduler = {
  preview: (job) =>
    withDirectives(
      job.script,
      'torque',
      options(job).map(([letter, value]) => `-${letter} ${value}`),
    ),

  submit(job, mark) {
    checkRequest(job, mark)
    // Only one -v applies, that of the command, so it includes the variables that the script requests.
    const variables = [`${MARK}=${mark}`, ...torqueValues(runnable(job.script), 'v')].filter(Boolean)
    // The wrapper writes the job's output to its files; Torque delivers the rest, whatever the script's own -k says.
    const own = options({ ...job, stdoutPath: messagesPath(job), stderrPath: undefined })
    // The shell requested by the script runs the script, not the wrapper.
    const requestsShell = torqueValues(runnable(job.script), 'S').length > 0
    const given = [
      ...own,
      ...(requestsShell ? [['S', '/bin/bash'] as const] : []),
      ['k', 'n'] as const,
      ['v', variables.join()] as const,
    ]
    return {
      argv: ['qsub', ...given.flatMap(([letter, value]) => [`-${letter}`, value])],
      stdin: wrapped(job, mark),
      parse(result) {
        // With `-z` in the script it prints nothing.
        const printed = output('qsub', result)
        const id = idIn(printed)
        if (!id && printed.trim()) throw torqueError('qsub', result)
        return id
      },
    }
  },

  // The queue is read twice: while many jobs end at once, the first answer may be incomplete.
  findByMark: (mark) =>
    [0, RETRY_DELAY_S].map((pauseS) => ({
      argv: ['/bin/sh', '-c', 'sleep "$1"; shift; id -un && exec "$@"', 'find', String(pauseS), ...QSTAT],
      parse(result) {
        const [, account, xml = ''] = /^(.*)\n([^]*)$/.exec(output('qstat', result)) ?? []
        // Only the account's own jobs count, since anyone can write a mark.
        const job = readJobs(xml).find(
          (each) => each.mark === mark && isSameAccount(each.user, account ?? ''),
        )
        return job && (job.arrayId ?? job.id)
      },
    })),

  cancel: (id) => change(['qdel', oneJob(id)]),
  purge: (id) => change(['qdel', '-p', oneJob(id)], PURGE_REFUSED),
  hold: (id) => change(['qhold', oneJob(id)]),
  release: (id) => change(['qrls', oneJob(id)]),
  extend: (id, seconds) => change(['qalter', '-l', `walltime=${Math.ceil(seconds)}`, oneJob(id)]),

  queue: () => ({ argv: QSTAT, parse: (result) => readJobs(output('qstat', result)) }),

  hiddenJobs: () => ({ argv: showServer, parse: (result) => hiddenReason(output('qstat', result)) }),

  jobDetail: (id) => ({
    argv: [...QSTAT, oneJob(id)],
    parse(result) {
      const jobs = readJobs(output('qstat', result)).filter((job) => belongsTo(job, id))
      if (!jobs.length) throw torqueError('qstat', { ...result, stderr: 'Unknown Job Id' })
      return jobs
    },
  }),

  history: (ids, arrays = {}) => [
    {
      argv: [...QSTAT, ...ids.map(oneJob)],
      parse: (result) => readKnown(result).filter(({ state }) => state === 'completed'),
    },
    // The exit code is ignored, because not every account may read the server's logs.
    ...traces(ids, arrays).map((argv) => ({
      argv,
      parse: ({ stdout }: CommandResult) => readTraces(stdout),
    })),
  ],
  ownHistory: (ids, folders) => [
    { argv: [...QSTAT, ...ids.map(oneJob)], parse: readKnown },
    { argv: showEnds(folders), parse: readEndFiles },
  ],

  usage: (from, to) => [
    {
      argv: readLog(from, to),
      parse(result) {
        refuseTruncated(result)
        return result.code === NO_LOG ? null : { records: readEnds(output('awk', result)) }
      },
    },
  ],

  nodes: () => ({
    argv: ['pbsnodes', '-x'],
    parse: (result) => (/No nodes found/.test(result.stderr) ? [] : readNodes(output('pbsnodes', result))),
  }),

  nodeDetail: (name) => ({
    argv: ['pbsnodes', '-x', oneNode(name)],
    parse(result) {
      const node = readNodes(output('pbsnodes', result)).find((each) => each.name === name)
      if (!node) throw torqueError('pbsnodes', { ...result, stderr: 'Unknown node' })
      return node
    },
  }),

  drain: (name, reason) =>
    change(['pbsnodes', '-o', '-N', oneLine(reason).slice(0, 200) || 'drained', oneNode(name)]),
  resume: (name) => change(['pbsnodes', '-c', oneNode(name)]),
}

function options(job: JobRequest): (readonly [letter: string, value: string])[] {
  const seconds = walltimeSeconds(job.walltime)
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  return [
    ['N', nameFor(job.name)],
    ['l', `nodes=${job.nodes}:ppn=${job.cores}${job.gpus ? `:gpus=${job.gpus}` : ''}`],
    // Torque does not support days.
    ['l', `walltime=${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`],
    ...(job.array === undefined ? [] : [['t', withoutSteps(job.array)] as const]),
    ...(job.partition ? [['q', job.partition] as const] : []),
    ...(job.account ? [['A', job.account] as const] : []),
    // -d sets the working directory and -w the value of $PBS_O_WORKDIR.
    ['d', job.workdir],
    ['w', job.workdir],
    // Torque itself appends the number of a task.
    ['o', job.stdoutPath],
    job.stderrPath ? ['e', job.stderrPath] : ['j', 'oe'],
  ]
}

/** Torque accepts only visible ASCII that begins with a letter, and mostly shows only 15 characters. */
function nameFor(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .trim()
    .replace(/[^!-~]+/g, '_')
  return (/^[A-Za-z]/.test(plain) ? plain : `job_${plain}`).slice(0, 200)
}

/**
 * Some sites print ids without the server's name or print additional lines, and qsub itself may print its message about
 * a slow server on the same line.
 */
const idIn = (printed: string): string =>
  /(?:^|Trying again)(\d+(?:\[\])?\.\S+)$/m.exec(printed)?.[1] ??
  /(?:^|Trying again)(\d+(?:\[\])?)$/m.exec(printed)?.[1] ??
  ''

/** Some of Torque's commands exit with 0 although they failed, and report it only on stderr. */
const change = (argv: [string, ...string[]], refused?: string): Query<void> => ({
  argv,
  parse(result) {
    if (result.code === 0 && !/error|unauthorized|unknown/i.test(result.stderr)) return
    const error = torqueError(argv[0], result)
    throw refused && error.code === 'not_permitted'
      ? new SchedulerError(error.code, refused, error.detail)
      : error
  },
})

/** Rejects other texts, which could be parsed as an option or as all jobs. */
function oneJob(id: string): string {
  if (/^\d+(\[\d*\])?(\.[\w.-]+)?$/.test(id)) return id
  throw new SchedulerError('unknown_job', 'Not a Torque job id. Check the queue.', id)
}

function oneNode(name: string): string {
  if (/^\w[\w.-]*$/.test(name)) return name
  throw new SchedulerError('invalid', 'Not a node name. Check the list of nodes.', name)
}

/** The jobs that Torque knows; qstat fails if it forgot or hides some of them, but still reports the rest. */
function readKnown(result: CommandResult): QueuedJob[] {
  if (result.code !== 0) {
    const error = torqueError('qstat', { ...result, stdout: '' })
    if (error.code !== 'unknown_job' && error.code !== 'not_permitted') throw error
  }
  return readJobs(result.stdout)
}
