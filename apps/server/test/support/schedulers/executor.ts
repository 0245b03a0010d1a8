import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { onTestFinished } from 'vitest'
import { send as sendToDaemon } from '../../../src/executor/daemon/client'
import { FILES, SOCKET, type Call } from '../../../src/executor/daemon/wire'
import { processOf } from '../../../src/executor/processes'
import {
  builtin,
  cancelAll,
  configureNodes,
  type BuiltinOptions,
  type Fences,
  type VirtualNode,
} from '../../../src/schedulers/builtin'
import { belongsTo, type JobRequest, type QueuedJob, type Scheduler } from '../../../src/schedulers/scheduler'
import { makeExecute } from '../exec'
import { until } from '../until'

const source = fileURLToPath(new URL('../../../src/cli/executor.ts', import.meta.url))

/** Builds the executor for one test file, with all its dependencies and readable by every account. */
export async function buildExecutor(banner = ''): Promise<{ program: string[]; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-program-'))
  await chmod(folder, 0o755)
  const bundle = await rolldown({ input: source, platform: 'node', external: (id) => id.startsWith('node:') })
  await bundle.write({
    dir: folder,
    format: 'esm',
    banner,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  return {
    program: [process.execPath, path.join(folder, 'executor.mjs')],
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface TestExecutor {
  spool: string
  /** A folder that every account may enter, with the work folders of jobs. */
  folder: string
  scheduler: Scheduler
  /** The same scheduler as another account. */
  as(runAs: BuiltinOptions['runAs'], network?: BuiltinOptions['network']): Scheduler
  /** A job request with defaults. */
  job(given: Partial<JobRequest> & { script: string }): JobRequest
  execute: ReturnType<typeof makeExecute>
  /** Submits a job and returns its id. */
  submit(given: Partial<JobRequest> & { script: string }, mark?: string): Promise<string>
  /** Submits many jobs at once, from this process. */
  submitMany(requests: { job: JobRequest; mark: string }[]): Promise<string[]>
  /** The details of a job, or of the first row of an array. */
  detail(id: string): Promise<QueuedJob>
  ended(id: string): Promise<QueuedJob>
  output(name?: string): Promise<string>
  daemonPid(): Promise<number>
  /** Kills the daemon with SIGKILL and waits for it to end. */
  killDaemon(): Promise<void>
}

let counter = 0

interface Setting {
  fences?: (folder: string) => Fences
  /** The account that owns the executor, if not ours; the program must switch to it. */
  owner?: number
  /** The size of a separate file system for everything; mounting it requires root. */
  diskMb?: number
}

/** An executor with these nodes in a folder of its own; both are removed when the test ends. */
export async function startExecutor(
  program: string[],
  nodes: VirtualNode[],
  { fences, owner, diskMb }: Setting = {},
): Promise<TestExecutor> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-executor-'))
  if (diskMb) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'none', folder])
  const spool = path.join(folder, 'spool')
  const work = path.join(folder, 'work')
  await mkdir(work)
  await chmod(folder, 0o711)
  if (owner !== undefined) for (const each of [folder, work]) await chown(each, owner, owner)
  const as: TestExecutor['as'] = (runAs, network) => builtin({ program, spool, runAs, network })
  const scheduler = as(null)
  const execute = makeExecute({})
  const detail = async (id: string) => {
    const [row] = await execute(scheduler.jobDetail(id))
    if (!row) throw new Error(`no job ${id}`)
    return row
  }
  const job = (given: Partial<JobRequest> & { script: string }): JobRequest => ({
    name: 'test',
    nodes: 1,
    cores: 1,
    gpus: 0,
    walltime: '00:01:00',
    workdir: work,
    stdoutPath: path.join(work, 'out'),
    ...given,
  })
  const daemonPid = async () => Number((await readFile(path.join(spool, FILES.pid), 'utf8')).split(' ')[0])
  const killDaemon = async () => {
    const pid = await daemonPid()
    if (processOf(pid)) process.kill(pid, 'SIGKILL')
    await until(() => !processOf(pid) || processOf(pid)?.state === 'Z')
  }
  onTestFinished(async () => {
    // Cancels the jobs that wait or run, so that none outlives the test.
    await execute(cancelAll(scheduler))
    await until(async () => (await execute(scheduler.queue())).every(({ state }) => state === 'completed'))
    await killDaemon().catch(() => undefined)
    if (diskMb) execFileSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true, force: true })
  })
  const callMany = async (calls: Call[]) => {
    // A socket's path must be short.
    const short = path.join(os.tmpdir(), `fx-${process.pid}-${counter++}`)
    await symlink(spool, short)
    const answers: unknown[] = []
    try {
      // The number of parallel calls is limited by the backlog of the socket.
      for (let from = 0; from < calls.length; from += 200)
        answers.push(
          ...(await Promise.all(
            calls.slice(from, from + 200).map(async (call) => {
              const answer = await sendToDaemon(path.join(short, SOCKET), call)
              if ('error' in answer) throw new Error(answer.error.message)
              return answer.ok
            }),
          )),
        )
      return answers
    } finally {
      await rm(short)
    }
  }
  await execute(configureNodes(scheduler, nodes, fences?.(folder)))
  return {
    spool,
    folder,
    scheduler,
    as,
    job,
    execute,
    detail,
    daemonPid,
    killDaemon,
    submit: (given, mark = `mark-${process.pid}-${counter++}`) => execute(scheduler.submit(job(given), mark)),
    async submitMany(requests) {
      const calls = requests.map(({ job: request, mark }): Call => {
        const input: unknown = JSON.parse(scheduler.submit(request, mark).stdin ?? '')
        return {
          command: 'submit',
          args: [],
          input,
        }
      })
      return (await callMany(calls)).map(String)
    },
    ended: (id) =>
      until(async () => {
        const rows = (await execute(scheduler.queue())).filter((row) => belongsTo(row, id))
        return rows.every(({ state }) => state === 'completed') ? rows[0] : undefined
      }),
    output: (name = 'out') => readFile(path.join(work, name), 'utf8'),
  }
}

export const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )
