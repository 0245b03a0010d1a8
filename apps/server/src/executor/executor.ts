import { randomBytes } from 'node:crypto'
import { isLow, LOW_DISK, roomOf } from '../disk/disk-room'
import { sandboxSupport, ownAccount, type SandboxSupport } from './sandbox/isolation'
import { limitsOfJob } from './sandbox/limits'
import { Journal } from './journal/journal'
import { removeAttemptFiles, hasBegun, type Launcher } from './sandbox/launch'
import { Loads } from './loads'
import { plan, type Plan } from './plan'
import { bootName, insideOf } from './processes'
import { newJob, readConfig, readJobId, readSubmit, Refused } from './daemon/requests'
import type { JobRow, NodeRow } from './journal/row-schemas'
import { jobRows, nodeRows, queueRows } from './journal/rows'
import { dropScript, keepScript, makeFolders, sweep } from './spool'
import { nameOf, tasksOf, type Change, type Job, type Run } from './journal/state'
import { Supervisor, type RunStatus } from './supervisor'
import { waitsForDisk, type Wait } from './waits'
import type { Watched } from './watch'

/** How long ended jobs stay in the list of the queue, and how many at most. */
const LATELY = { ms: 5 * 60_000, most: 1_000 }
/** The pause after a start that failed through no fault of the job. */
const PAUSE_MS = 5_000
const MOST_ATTEMPTS = 5
const MOST_LIMIT_S = 366 * 24 * 3600
const BAD_LIMIT = 'The new time limit must be longer than the current one and at most one year.'

/**
 * The executor without its socket. Every call is synchronous, so calls never interleave, and whatever it returns has
 * been written to disk.
 */
export class Executor {
  readonly #spool: string
  readonly #journal: Journal
  readonly #support: SandboxSupport
  readonly #boot = bootName()
  readonly #supervisor: Supervisor
  readonly #loads = new Loads()
  readonly #tick: () => void
  #waits: ReadonlyMap<number, Wait> = new Map()
  #pausedUntil = 0

  /** `tick` schedules a call of `turn`. */
  constructor(spool: string, tick: () => void, warn: (text: string) => void) {
    this.#spool = spool
    this.#tick = tick
    makeFolders(spool)
    this.#journal = new Journal(spool, warn)
    if (this.#journal.damaged) this.#holdBegun(warn)
    this.#support = sandboxSupport()
    this.#supervisor = new Supervisor(spool, this.#boot, this.#support.cgroups)
    sweep(spool, this.#state)
  }

  /** The record of a start may be among the lost lines, and a job that already began must not be started again. */
  #holdBegun(warn: (text: string) => void): void {
    const doubtful = [...this.#state.open.values()]
      .flatMap((job) => job.tasks.map((task) => ({ job, task })))
      .filter((run) => run.task.state === 'waiting' && hasBegun(this.#spool, run))
    if (doubtful.length === 0) return
    warn(`Held because they may have started before: ${doubtful.map(nameOf).join(', ')}`)
    this.#journal.commit(
      doubtful.map(({ job, task: { number } }) => ({
        op: 'hold',
        id: job.id,
        ...(number !== undefined && { tasks: [number] }),
        held: true,
      })),
    )
  }

  get #state() {
    return this.#journal.state
  }

  get #launcher(): Launcher {
    return { spool: this.#spool, support: this.#support, config: this.#state.config }
  }

  /** Whether no job is waiting or running. */
  get idle(): boolean {
    return this.#state.open.size === 0
  }

  /** The running jobs of users, whose memory and disk usage is watched. */
  *watched(): Generator<Watched> {
    for (const run of this.#state.running.values()) {
      const pid = run.job.runAs ? this.#supervisor.guardOf(run) : undefined
      if (pid === undefined) continue
      const { memoryMb } = limitsOfJob(run.job, this.#state.config)
      yield { pid, memoryMb, end: (reason) => this.#supervisor.stop(run, reason) }
    }
  }

  /** Returns the id or the refusal of each job. Submitting several at once costs hardly more than submitting one. */
  submit(values: readonly unknown[]): (string | Refused)[] {
    if (isLow(roomOf(this.#spool))) return values.map(() => new Refused('disk_full', LOW_DISK))
    const changes: Change[] = []
    const fresh = new Map<string, number>()
    const answers = values.map((value): string | Refused => {
      try {
        const request = readSubmit(value)
        const known = this.#state.marks.get(request.mark) ?? fresh.get(request.mark)
        if (known !== undefined) return String(known)
        const id = this.#state.nextId + fresh.size
        const job = newJob(request, {
          id,
          now: Date.now(),
          support: this.#support,
          config: this.#state.config,
          self: ownAccount().username,
          keepScript: (text) => keepScript(this.#spool, text),
        })
        changes.push({ op: 'job', job })
        fresh.set(request.mark, id)
        return String(id)
      } catch (error) {
        if (error instanceof Refused) return error
        throw error
      }
    })
    this.#journal.commit(changes)
    return answers
  }

  findByMark(mark: string): string | null {
    const id = this.#state.marks.get(mark)
    return id === undefined ? null : String(id)
  }

  cancel(text: string): void {
    const { job, tasks } = this.#named(text)
    if (tasksOf(job, tasks).every((task) => task.state === 'ended'))
      throw new Refused('unknown_job', 'The job has already ended.')
    this.#journal.commit([{ op: 'cancel', id: job.id, tasks, at: Date.now() }])
    if (!this.#state.open.has(job.id)) dropScript(this.#spool, this.#state, job.script)
  }

  /** Cancels all waiting and running jobs. */
  cancelAll(): void {
    const at = Date.now()
    this.#journal.commit([...this.#state.open.keys()].map((id) => ({ op: 'cancel', id, at })))
    sweep(this.#spool, this.#state)
  }

  hold(text: string, held: boolean): void {
    const { job, tasks } = this.#named(text)
    if (tasksOf(job, tasks).every((task) => task.state === 'ended'))
      throw new Refused('unknown_job', 'The job has already ended.')
    this.#journal.commit([{ op: 'hold', id: job.id, tasks, held }])
  }

  /** Sets a job's time limit to this many seconds in total. */
  extend(text: string, seconds: string): void {
    const { job } = this.#named(text)
    const limitS = Number(seconds)
    if (!Number.isInteger(limitS) || limitS <= job.limitS || limitS > MOST_LIMIT_S)
      throw new Refused('invalid', BAD_LIMIT)
    if (!this.#state.open.has(job.id)) throw new Refused('unknown_job', 'The job has already ended.')
    this.#journal.commit([{ op: 'limit', id: job.id, limitS }])
    for (const run of this.#state.running.values()) if (run.job.id === job.id) this.#supervisor.setLimit(run)
  }

  /** A process in the network of a running job, through which its ports can be reached. */
  process(text: string): number {
    const { job } = this.#named(text)
    const run = [...this.#state.running.values()].find((each) => each.job.id === job.id)
    const guard = run && this.#supervisor.guardOf(run)
    if (guard === undefined) throw new Refused('unknown_job', 'The job is not running.')
    return insideOf(guard)
  }

  configure(value: unknown): void {
    const config = readConfig(value)
    // Called at every start of the server; repeating it in the journal each time would be useless.
    if (JSON.stringify(config) !== JSON.stringify(this.#state.config))
      this.#journal.commit([{ op: 'configure', config }])
  }

  drain(node: string, reason: string): void {
    this.#node(node)
    this.#journal.commit([{ op: 'drain', node, reason: reason.slice(0, 1000) }])
  }

  resume(node: string): void {
    this.#node(node)
    if (this.#state.drained.has(node)) this.#journal.commit([{ op: 'resume', node }])
  }

  job(text: string): JobRow[] {
    const { job, tasks } = this.#named(text)
    const wanted = tasks && new Set(tasksOf(job, tasks))
    const part = wanted ? { ...job, tasks: job.tasks.filter((task) => wanted.has(task)) } : job
    return jobRows(part, this.#waits, (run) => this.#loads.of(run))
  }

  /** The rows of those of these jobs that have ended and are still remembered. */
  history(ids: readonly string[]): JobRow[] {
    return ids.flatMap((text) => {
      const { id, tasks } = readJobId(text)
      const job = this.#state.jobs.get(id)
      if (!job) return []
      const ended = tasksOf(job, tasks).filter((task) => task.state === 'ended')
      return jobRows({ ...job, tasks: ended }, this.#waits, () => undefined)
    })
  }

  /** The remembered jobs that ended between these times. */
  ended(from: number, to: number): JobRow[] {
    return [...this.#state.jobs.values()].flatMap((job) => {
      const tasks = job.tasks.filter(({ end = -1 }) => end >= from && end <= to)
      return tasks.length === 0 ? [] : jobRows({ ...job, tasks }, this.#waits, () => undefined)
    })
  }

  queue(now: number): JobRow[] {
    const { recent } = this.#state
    const late = recent.filter(({ task }) => now - (task.end ?? 0) < LATELY.ms)
    this.#state.recent = late.toSorted((a, b) => (a.task.end ?? 0) - (b.task.end ?? 0)).slice(-LATELY.most)
    return queueRows(this.#state, this.#waits)
  }

  nodes(): NodeRow[] {
    return nodeRows(this.#state, (run) => this.#loads.of(run))
  }

  /** Records jobs that ended, ends canceled ones, and starts those that can start. */
  turn(): void {
    const now = Date.now()
    const over: Run[] = []
    const changes: Change[] = []
    for (const run of this.#state.running.values()) {
      const found = this.#supervisor.statusOf(run)
      if (found.is === 'running') {
        if (run.task.canceled) this.#supervisor.end(run)
        continue
      }
      over.push(run)
      changes.push(this.#after(run, found, now))
    }
    const left = over.map((run) => ({ ...run, task: { ...run.task } }))
    this.#journal.commit(changes)
    for (const run of left) {
      this.#supervisor.forget(run)
      removeAttemptFiles(this.#launcher, run)
      if (!this.#state.open.has(run.job.id)) dropScript(this.#spool, this.#state, run.job.script)
    }

    const { starts, waits } = plan(this.#state, now)
    const low = starts.length > 0 && isLow(roomOf(this.#spool))
    this.#waits = low
      ? new Map([...waits, ...starts.map(({ job }) => [job.id, waitsForDisk] as const)])
      : waits
    if (now >= this.#pausedUntil && !low) this.#start(starts, now)
    if (this.#journal.swollen) {
      this.#journal.compact(now)
      sweep(this.#spool, this.#state)
    }
  }

  sample(): void {
    this.#loads.sample(this.#state.running.values(), (run) => this.#supervisor.guardOf(run))
  }

  #start(starts: Plan['starts'], now: number): void {
    // Each start is claimed on disk first, so that a crash in between cannot start a job twice.
    this.#journal.commit(
      starts.map(({ job, task, places }) => {
        const key = randomBytes(8).toString('hex')
        return { op: 'start', id: job.id, task: task.number, key, boot: this.#boot, places, at: now }
      }),
    )
    for (const run of starts) this.#supervisor.began(run, () => this.#tick(), this.#launcher)
  }

  /** The change that records what happens to a run that is no longer running. */
  #after({ job, task }: Run, found: Exclude<RunStatus, { is: 'running' }>, now: number): Change {
    const which = { id: job.id, task: task.number }
    if (found.is === 'ended')
      return { op: 'end', ...which, at: found.at, ...found.end, memoryMb: task.memoryMb }
    if (found.tried) this.#pausedUntil = now + PAUSE_MS
    if (task.attempt < MOST_ATTEMPTS) return { op: 'back', ...which, at: now }
    const reason = 'It could not be started on this machine. Check whether its disk or memory is full.'
    return { op: 'end', ...which, at: now, ending: 'node_failed', reason }
  }

  #named(text: string): { job: Job; tasks?: number[] } {
    const { id, tasks } = readJobId(text)
    const job = this.#state.jobs.get(id)
    if (!job || (tasks && tasksOf(job, tasks).length === 0))
      throw new Refused('unknown_job', `No job ${text}. It may have ended long ago; check the history.`)
    return { job, tasks }
  }

  #node(name: string): void {
    if (!this.#state.config.nodes.some((node) => node.name === name))
      throw new Refused('invalid', 'The cluster has no node with this name. Check its list of nodes.')
  }
}
