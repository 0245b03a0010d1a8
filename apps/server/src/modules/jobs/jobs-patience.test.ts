import { api } from '@flotilla/contract/api'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { Run } from '../../queue/task'
import type { QueuedJob } from '../../schedulers/scheduler'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { testLog } from '../../../test/support/log'
import { until } from '../../../test/support/until'
import { installTorque } from '../../../test/support/schedulers/torque/install'
import type { ClusterAccess } from '../clusters/open'
import * as store from './store'
import { makeTracker } from './tracking/track'
import { asSubmission } from './view'

const HOUR = 3_600_000
const { HOME: home, PATH: searched } = process.env
let folder: string
let server: TestApp
let admin: { id: string; token: string }
let cluster: string
/** How far the clock was advanced. */
let ahead = 0
const wait = (ms: number) => {
  ahead += ms
  server.advance(ms)
}
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-patience-'))
  const torque = await installTorque(folder)
  const bin = path.join(folder, 'site')
  await mkdir(bin)
  // Files of these names simulate a server that is away, a dead node, and a qsub that prints nothing.
  const away = `[ -e ${folder}/away ] && { echo "$(basename $0): cannot connect to server head (errno=111) Connection refused" >&2; exit 111; }`
  const dead = `[ "$1" = -p ] && { shift; touch ${folder}/purged; rm -f ${folder}/dead; }
[ -e ${folder}/dead ] && { echo "qdel: Server could not connect to MOM $1" >&2; exit 224; }`
  const silent = `[ -e ${folder}/silent ] && { ${torque.bin}/qsub "$@" >/dev/null; exit; }`
  for (const [name, lines] of [
    ['qsub', silent],
    ['qstat', ''],
    ['qdel', dead],
  ])
    await writeFile(
      path.join(bin, name ?? ''),
      `#!/bin/sh\n${away}\n${lines}\nexec ${torque.bin}/${name} "$@"\n`,
      {
        mode: 0o755,
      },
    )
  process.env.PATH = `${bin}:${torque.bin}:${searched ?? ''}`
  process.env.HOME = folder
  server = await testApp()
  admin = await server.person('boss', ['admin', 'user'])
  const body = { name: 'Torque', data: { manager: 'torque' as const, transport: 'local' as const } }
  cluster = (await server.must(api.clusters.createLocal, { body }, { token: admin.token })).id
  await server.must(api.clusters.deploy, { body: { id: cluster } }, { token: admin.token })
  const run = await server.db.kysely.selectFrom('cluster_runs').select('id').executeTakeFirstOrThrow()
  await task('cluster-run', { run: run.id })
})
afterAll(async () => {
  process.env.PATH = searched
  process.env.HOME = home
  await server.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  wait(-ahead)
  for (const name of ['away', 'dead', 'silent', 'purged']) await rm(path.join(folder, name), { force: true })
})

const set = (name: string) => writeFile(path.join(folder, name), '')
const unset = (name: string) => rm(path.join(folder, name))
/** Runs a task immediately instead of through the queue. */
const task = async (name: string, payload: object): Promise<void> => {
  const signal = new AbortController().signal
  const run: Run = { id: '1', attempt: 1, lastAttempt: false, signal, log: testLog().log }
  await server.app.tasks.find((each) => each.task.name === name)?.run(payload, run)
}
const jobs = async (): Promise<number> => {
  const file = path.join(folder, 'state/state.json')
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as { jobs: unknown[] }).jobs.length : 0
}
/** Submits a job that runs until it is deleted. */
const submitted = async (): Promise<Submission> => {
  const body = { name: 'patient', data: { script: 'sleep 1000', nodes: 2, cores: 2 } }
  const { id } = await server.must(api.jobs.create, { body }, { token: admin.token })
  const submission = { id, cluster, runAsAdmin: true }
  return server.must(api.jobs.submit, { body: submission }, { token: admin.token, admin: true })
}
/** Read from the database, because sessions expire during the hours that these tests simulate. */
const view = async (id: string): Promise<Submission> => {
  const row = await store.submission(server.db.kysely, id)
  if (!row) throw new Error('no such submission')
  return asSubmission(row)
}
/** Submits a job and waits until its number is stored, which happens after the reply. */
const inQueue = async (): Promise<Submission> => {
  const { id } = await submitted()
  return until(async () => {
    const seen = await view(id)
    return seen.nativeId === null ? null : seen
  })
}
const cancel = (id: string, purge = false) =>
  server.must(api.jobs.cancel, { body: { job: id, cluster, purge } }, { token: admin.token, admin: true })

describe('a resource manager that is unavailable when a job is submitted', () => {
  it('gets the job exactly once when it is back, even hours later', async () => {
    const before = await jobs()
    await set('away')
    const { id, retry } = await submitted()
    expect(retry).toMatchObject({ of: 'submit', tries: 1, reason: expect.stringContaining('pbs_server') })
    expect(retry?.nextAt).toBeGreaterThan(Date.now())
    // It is not retried before it is due.
    await task('settle-submission', { submission: id })
    expect((await view(id)).retry?.tries).toBe(1)
    for (const tries of [2, 3, 4]) {
      wait(2 * HOUR)
      await task('settle-submission', { submission: id })
      expect(await view(id)).toMatchObject({ state: 'submitting', retry: { of: 'submit', tries } })
    }
    await unset('away')
    wait(HOUR)
    await Promise.all([1, 2].map(() => task('settle-submission', { submission: id })))
    expect(await view(id)).toMatchObject({
      state: 'queued',
      retry: null,
      nativeId: expect.stringMatching(/\.head$/),
    })
    expect(await jobs()).toBe(before + 1)
  })

  it('does not get a job that was canceled in the meantime', async () => {
    const before = await jobs()
    await set('away')
    const { id } = await submitted()
    expect(await cancel(id)).toMatchObject({ state: 'canceled', retry: null })
    await unset('away')
    wait(HOUR)
    await task('settle-submission', { submission: id })
    expect(await jobs()).toBe(before)
  })

  it('is not retried forever', async () => {
    await set('away')
    const { id } = await submitted()
    await server.db.kysely.updateTable('submissions').set({ tries: 299 }).where('id', '=', id).execute()
    wait(HOUR)
    await task('settle-submission', { submission: id })
    expect(await view(id)).toMatchObject({ state: 'failed', reason: expect.stringContaining('for a day') })
  })
})

it('finds a job by its mark if qsub accepted it without output', async () => {
  const before = await jobs()
  await set('silent')
  expect(await submitted()).toMatchObject({ state: 'queued', nativeId: expect.stringMatching(/\.head$/) })
  expect(await jobs()).toBe(before + 1)
})

describe('a job that cannot be canceled because its node is dead', () => {
  it('shows the reason and is canceled when the node is back', async () => {
    const { id } = await inQueue()
    await set('dead')
    expect(await cancel(id)).toMatchObject({
      state: 'queued',
      retry: { of: 'cancel', tries: 1, reason: expect.stringContaining('node') },
    })
    wait(HOUR)
    await task('cancel-submission', { submission: id })
    expect(await view(id)).toMatchObject({ retry: { of: 'cancel', tries: 2 } })
    await unset('dead')
    wait(HOUR)
    await task('cancel-submission', { submission: id })
    expect((await view(id)).retry).toBeNull()
    // Torque does not know how it ended, because the node's daemon was restarted.
    const { nativeId } = await view(id)
    const ended = { id: nativeId, state: 'completed', ending: 'succeeded', exitCode: 0, nodeList: '' }
    const tracker = makeTracker(server.db, {} as ClusterAccess, Date.now)
    await tracker.onQueue(cluster, [ended as QueuedJob])
    expect(await view(id)).toMatchObject({ state: 'canceled', reason: 'Canceled' })
  })

  it('can be purged by admins only', async () => {
    const { id } = await inQueue()
    await set('dead')
    await cancel(id)
    const other = await server.person('other', ['user'])
    const purge = { job: id, cluster, purge: true }
    const refused = await server.refused(
      api.jobs.cancel,
      { body: purge },
      { token: other.token, admin: true },
    )
    expect(refused.status).toBe(403)
    expect(existsSync(path.join(folder, 'purged'))).toBe(false)
    expect(await cancel(id, true)).toMatchObject({
      state: 'canceled',
      reason: 'Purged by boss: its node did not respond',
      retry: null,
    })
    expect(existsSync(path.join(folder, 'purged'))).toBe(true)
  })

  it('can be purged from the queue, even if another user submitted it', async () => {
    const { nativeId } = await inQueue()
    await set('dead')
    const operation = (name: string) => ({ id: cluster, operation: name, body: { jobs: [nativeId ?? ''] } })
    const as = { token: admin.token, admin: true }
    expect(await server.refused(api.clusters.operateJobs, operation('cancel'), as)).toMatchObject({
      message: expect.stringContaining('purge'),
    })
    const third = await server.person('third', ['user'])
    const refused = await server.refused(api.clusters.operateJobs, operation('purge'), {
      ...as,
      token: third.token,
    })
    expect(refused.status).toBe(403)
    await server.must(api.clusters.operateJobs, operation('purge'), as)
    expect(existsSync(path.join(folder, 'purged'))).toBe(true)
  })
})
