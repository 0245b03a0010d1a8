import { Failure } from '../../../fail'

/** The origin of a login, which decides how long it waits. */
export type Source = {
  /** Jobs of one lane wait for each other; lanes take turns. A stranger's lane is their network. */
  lane: string
  /**
   * Whether the user is logged in, or logs in from a network that the account has used recently. Known sources go
   * before strangers.
   */
  known: boolean
}

export type Limits = {
  /** The number of jobs that run concurrently. */
  workers: number
  /** The maximum number of jobs waiting in one lane. */
  perLane: number
  /** The maximum number of jobs waiting in all lanes of strangers, and also in all lanes of known sources. */
  total: number
}

/** One of this many jobs is a stranger's, so that known sources cannot starve strangers. */
const STRANGERS_TURN = 4
const RETRY_AFTER_S = 5

const busy = () =>
  new Failure('too_many_requests', {
    message: 'Too many people are logging in right now. Try again in a few seconds.',
    retryAfter: RETRY_AFTER_S,
  })

type Job = { start(): Promise<void>; refuse(error: Failure): void }

/** Lanes that take turns, in the order of the Map. */
class Lanes {
  private readonly lanes = new Map<string, Job[]>()
  private size = 0
  constructor(private readonly limits: Limits) {}

  /** Rejects the job if its lane is full. If all lanes together are full, the longest one loses its last job. */
  add(lane: string, job: Job): void {
    const jobs = this.lanes.get(lane) ?? []
    if (jobs.length >= this.limits.perLane) throw busy()
    if (this.size >= this.limits.total) {
      const longest = this.longest()
      if (longest.length <= jobs.length + 1) throw busy()
      longest.pop()?.refuse(busy())
      this.size--
    }
    this.lanes.set(lane, jobs)
    jobs.push(job)
    this.size++
  }

  /** Takes the first job of the lane whose turn it is. */
  next(): Job | undefined {
    const [turn] = this.lanes
    if (!turn) return undefined
    const [lane, jobs] = turn
    const job = jobs.shift()
    this.size--
    this.lanes.delete(lane)
    if (jobs.length > 0) this.lanes.set(lane, jobs)
    return job
  }

  refuse(lane: string, error: () => Failure): void {
    const jobs = this.lanes.get(lane) ?? []
    this.lanes.delete(lane)
    this.size -= jobs.length
    for (const job of jobs) job.refuse(error())
  }

  private longest(): Job[] {
    let longest: Job[] = []
    for (const jobs of this.lanes.values()) if (jobs.length > longest.length) longest = jobs
    return longest
  }
}

/**
 * A queue that keeps a flood of logins from delaying everyone else: networks take turns, known sources go first, and
 * the number of waiting jobs is bounded.
 */
export class FairQueue {
  private running = 0
  private started = 0
  private readonly known: Lanes
  private readonly strangers: Lanes

  constructor(private readonly limits: Limits) {
    this.known = new Lanes(limits)
    this.strangers = new Lanes(limits)
  }

  /** Runs the job when its turn comes. Fails if the queue is full. */
  run<T>({ lane, known }: Source, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = () => work().then(resolve, reject)
      const lanes = known ? this.known : this.strangers
      lanes.add(lane, { start, refuse: reject })
      this.startNext()
    })
  }

  /** Rejects all jobs of strangers that wait in this lane. */
  refuse(lane: string, error: () => Failure): void {
    this.strangers.refuse(lane, error)
  }

  private startNext(): void {
    if (this.running >= this.limits.workers) return
    const strangersTurn = this.started % STRANGERS_TURN === STRANGERS_TURN - 1
    const [first, second] = strangersTurn ? [this.strangers, this.known] : [this.known, this.strangers]
    const job = first.next() ?? second.next()
    if (!job) return
    this.running++
    this.started++
    void job.start().finally(() => {
      this.running--
      this.startNext()
    })
  }
}
