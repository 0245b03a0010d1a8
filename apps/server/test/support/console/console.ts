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

/** A job to submit; everything that is left out gets a default. */
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
  /** An existing database and folder to use instead of new ones; they are not removed. */
  databaseUrl?: string
  dataDir?: string
  /** Another program of the build that starts the server, such as the demo. */
  program?: string
  /** A command that starts the program, such as one that drops root privileges. */
  before?: string[]
  port?: number
}

/** A real server in a process of its own, with its executor. `kill` sends SIGKILL by default. */
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
    // The server ends with the tests, even if they are killed.
    const bound = ['setpriv', '--pdeathsig', 'TERM', '--']
    const file = path.join(inject('consoleFolder'), place.program ?? 'main.js')
    // The server does not run long enough for optimized code to pay off.
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

  /** Kills every engine that runs in a workspace of this console with SIGKILL. */
  killEngine = (): Promise<void> => killEngines(this.dataDir)

  /** Destroys deployed clusters unless they are idle, stops the server and removes its data. */
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

  /** Retries while other tests keep the database busy, as this call is not part of a test. */
  private allClusters(): Promise<Cluster[]> {
    return until(() =>
      this.must(api.clusters.list, {}, { token: this.admin }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 503) return null
        throw error
      }),
    )
  }

  /** Sends a raw request, valid or not, for tests of the wire format. */
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

  /** Makes a call and returns the reply, success or error, with its status and headers. */
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

  /** Makes a call that must succeed. The reason for an internal error is only in the server's log. */
  async must<E extends Endpoint>(endpoint: E, input: Sent<E>, options?: CallOptions): Promise<Reply<E>> {
    try {
      return await connect(this.url).call(endpoint, input, options)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'internal') {
        // The log is written half a second later.
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

  /** Changes the database directly, for states that no call can create. */
  async sql(text: string, values: unknown[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl })
    await client.connect()
    await client.query(text, values)
    await client.end()
  }

  /** Creates a participant directly in the database, as only a workshop creates them. */
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

  /** A cluster of existing machines. */
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

  /** Waits until no action is in progress, and returns the cluster. */
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

  /** Saves a new cluster owned by the admin without deploying it. */
  async saved(name: string, data: object, more: object = {}): Promise<string> {
    // Border: tests also send invalid clusters.
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

  /** Waits until the output of a job matches. */
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
