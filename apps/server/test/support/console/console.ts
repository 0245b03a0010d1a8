import { api } from '@flotilla/contract/api'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { ApiError } from '@flotilla/client/api-error'
import { connect } from '@flotilla/client/client'
import type { CallOptions } from '@flotilla/client/request'
import type { Cluster, LocalCluster } from '@flotilla/contract/clusters/entity'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { freePort } from '../../../src/db/embedded/postmaster'
import { PASSWORD } from '../app/app'
import { answerBy, refusedBy } from '../app/outcomes'
import { ConsoleProcess } from './console-process'
import { endExecutor, isIdle, killEngines } from './left-behind'
import { newDatabase } from '../database/database'
import { until } from '../until'

type RequestOptions = { as?: string; body?: unknown }
export type Answer<T> = { status: number; json: T; headers: Headers }
export type Person = { id: string; username: string; token: string }

/** What is to be submitted, with everything that a test does not care about. */
export type JobGiven = {
  script: string
  name?: string
  nodes?: number
  cores?: number
  gpus?: number
  walltime?: string
  array?: string
}

type NewUser = Sent<typeof api.users.create>['body']

type Place = {
  env?: Record<string, string>
  /** On this database and folder, and not on new ones; they are not removed. */
  databaseUrl?: string
  dataDir?: string
  /** Another program of the build that serves the console, such as the demo. */
  program?: string
  /** The words before the program, such as those that give up root. */
  before?: string[]
  port?: number
}

/** A real server in a process of its own, with its executor. `kill` is as `kill -9`. */
export class Console extends ConsoleProcess {
  admin = ''

  private constructor(
    readonly url: string,
    readonly dataDir: string,
    command: string[],
    env: Record<string, string>,
    private readonly cleanUp: () => Promise<void>,
  ) {
    super(command, env)
  }

  static async start(place: Place = {}): Promise<Console> {
    const dataDir = place.dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-console-')))
    const database = place.databaseUrl ? undefined : await newDatabase()
    const port = place.port ?? (await freePort())
    const env = {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      DATABASE_URL: place.databaseUrl ?? database?.url ?? '',
      PORT: String(port),
      ADMIN_PASSWORD: PASSWORD,
      RATE_LIMIT: '1000000',
      LOG_LEVEL: 'warn',
      SIMULATED_CLOUD_PACE: process.env.SIMULATED_CLOUD_PACE ?? '',
      ...place.env,
    }
    // Should the tests be killed, it ends too.
    const bound = ['setpriv', '--pdeathsig', 'TERM', '--']
    const file = path.join(inject('consoleFolder'), place.program ?? 'main.js')
    // It does not live long enough for optimized code to pay off.
    const program = [process.execPath, '--no-opt', '--no-maglev', file]
    const command = [...(place.before ?? []), ...bound, ...program]
    const made = new Console(`http://127.0.0.1:${port}`, dataDir, command, env, async () => {
      await database?.drop()
      if (!place.dataDir) await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    })
    await made.run()
    made.admin = await made.login('admin')
    return made
  }

  get databaseUrl(): string {
    return this.env.DATABASE_URL ?? ''
  }

  /** As `kill -9` of every engine that works in a workspace of this console. */
  killEngine = (): Promise<void> => killEngines(this.dataDir)

  /** Destroys what it has deployed unless nothing runs there, stops it and removes what it kept. */
  async stop(): Promise<void> {
    const all = await this.allClusters()
    const deployed = all.filter(({ info }) => info.state !== 'saved' && info.state !== 'destroyed')
    const idle = await Promise.all(
      deployed.map(async ({ id, info }) => !info.state.endsWith('ing') && isIdle(this.dataDir, id)),
    )
    const busy = deployed.filter((_, index) => !idle[index])
    for (const { id } of busy) await this.act(id, 'destroy', { resetingState: true })
    await Promise.all(busy.map(({ id }) => this.settled(id)))
    await this.kill('SIGTERM')
    for (const { id } of deployed) await endExecutor(this.dataDir, id)
    await this.cleanUp()
  }

  /** Waits for a database that other tests keep busy: nothing that is tested depends on this answer. */
  private allClusters(): Promise<Cluster[]> {
    return until(() =>
      this.must(api.clusters.list, {}, { token: this.admin }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 503) return null
        throw error
      }),
    )
  }

  /** A request whatever it says and whatever the answer is, for tests of the wire itself. */
  call(method: string, route: string, { as, body }: RequestOptions = {}): Promise<Answer<unknown>> {
    return this.send(route, {
      method,
      headers: {
        ...(as && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  /** A call whatever the answer is, with its status and headers. */
  answer = answerBy((url, init) => this.send(url, init))

  private async send(route: string, init: RequestInit): Promise<Answer<unknown>> {
    const response = await fetch(this.url + route, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      json: isJson ? JSON.parse(text) : text,
      headers: response.headers,
    }
  }

  /** A call that must succeed. Only the server's log says why one failed unexpectedly. */
  async must<E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions): Promise<Reply<E>> {
    try {
      return await connect(this.url).call(endpoint, input, options)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'internal') {
        // It comes half a second later.
        await sleep(1000)
        error.message += `: ${this.out.slice(-4000)}`
      }
      throw error
    }
  }

  refused = refusedBy((...call) => this.must(...call))

  async login(username: string): Promise<string> {
    const body = { username, password: PASSWORD }
    return (await this.must(api.auth.login, { body })).token
  }

  /** Past the server, for what no one can ask of it. */
  async sql(text: string, values: unknown[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl })
    await client.connect()
    await client.query(text, values)
    await client.end()
  }

  /** No one makes a participant manually: a workshop does. */
  async participant(username: string): Promise<Person> {
    const { id } = await this.person(username)
    await this.sql('update users set role = $1 where id = $2', [['participant'], id])
    return { id, username, token: await this.login(username) }
  }

  async person(username: string, role: NewUser['role'] = ['user']): Promise<Person> {
    const named = { username, firstName: 'Ada', lastName: 'Lovelace', email: `${username}@example.org` }
    const body = { ...named, password: PASSWORD, role }
    const { id } = await this.must(api.users.create, { body }, { token: this.admin })
    return { id, username, token: await this.login(username) }
  }

  cluster(id: string, as = this.admin): Promise<Cluster> {
    return this.must(api.clusters.view, { id }, { token: as })
  }

  /** One of machines that exist. */
  async localCluster(id: string): Promise<LocalCluster> {
    const cluster = await this.cluster(id)
    if (cluster.provider !== 'local') throw new Error(`${cluster.name} is in a cloud`)
    return cluster
  }

  async thisMachine(): Promise<string> {
    const all = await this.must(api.clusters.list, {}, { token: this.admin })
    const found = all.find(({ name }) => name === 'This machine')
    if (!found) throw new Error('there is no cluster "This machine"')
    return this.available(found.id)
  }

  /** Waits until no action is in progress, and answers how it is then. */
  settled(id: string): Promise<Cluster> {
    return until(async () => {
      const cluster = await this.cluster(id)
      return cluster.info.state.endsWith('ing') ? null : cluster
    })
  }

  async available(id: string): Promise<string> {
    const { info } = await this.settled(id)
    if (info.state !== 'available') throw new Error(`the cluster is ${info.state}: ${info.cause}`)
    return id
  }

  act(id: string, action: 'deploy' | 'stop' | 'start' | 'destroy', more: object = {}): Promise<unknown> {
    return this.must(api.clusters[action], { body: { id, ...more } }, { token: this.admin, admin: true })
  }

  /** A new cluster of the admin's, saved and not deployed. */
  async saved(name: string, data: object, more: object = {}): Promise<string> {
    // Border: tests also describe what a cluster cannot be.
    const body = { name, data, ...more } as Sent<typeof api.clusters.createLocal>['body']
    return (await this.must(api.clusters.createLocal, { body }, { token: this.admin })).id
  }

  async deployed(name: string, data: object, more: object = {}): Promise<string> {
    const id = await this.saved(name, data, more)
    await this.act(id, 'deploy')
    return this.available(id)
  }

  async job({ script, name = 'test', ...data }: JobGiven, as = this.admin): Promise<string> {
    const body = { name, data: { walltime: '00:05:00', ...data, script } }
    return (await this.must(api.jobs.create, { body }, { token: as })).id
  }

  async submit(cluster: string, given: JobGiven, as = this.admin, more: object = {}): Promise<Submission> {
    const id = await this.job(given, as)
    return this.must(api.jobs.submit, { body: { id, cluster, ...more } }, { token: as })
  }

  submission(id: string, as = this.admin): Promise<Submission> {
    return this.must(api.jobs.submission, { id }, { token: as })
  }

  reached(id: string, states: Submission['state'][], as = this.admin): Promise<Submission> {
    return until(async () => {
      const now = await this.submission(id, as)
      return states.includes(now.state) ? now : null
    })
  }

  async ended(id: string, as = this.admin): Promise<Submission> {
    return until(async () => {
      const now = await this.submission(id, as)
      return now.endedAt === null ? null : now
    })
  }

  async output({ id, jobId }: Submission, file = 'output.txt', as = this.admin): Promise<string> {
    const input = { job: jobId, submission: id, file, query: { from: 0 } }
    return (await this.must(api.jobs.output, input, { token: as })).text
  }

  /** Waits until a job has written this, which may be a while after it has begun. */
  wrote(submission: Submission, wanted: RegExp, as = this.admin): Promise<string> {
    return until(async () => {
      const text = await this.output(submission, 'output.txt', as).catch((error: unknown) => {
        if (error instanceof ApiError && !error.network) return ''
        throw error
      })
      return wanted.test(text) ? text : null
    })
  }
}
