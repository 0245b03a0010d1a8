import { api } from '@flotilla/contract/api'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Run } from '../../queue/task'
import type { ClusterAccess } from '../clusters/open'
import { makeSending } from './send'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { testLog } from '../../../test/support/log'
import { insertSubmission } from '../../../test/support/app/rows'
import { soakIt } from '../../../test/support/soak'
import { installTorque } from '../../../test/support/schedulers/torque/install'

const MINUTE = 60_000
const home = process.env.HOME
const searched = process.env.PATH
let folder: string
let server: TestApp
let admin: { id: string; token: string; username: string }
let cluster: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-settle-'))
  const torque = await installTorque(folder)
  process.env.PATH = `${torque.bin}:${searched ?? ''}`
  process.env.HOME = folder
  server = await testApp()
  admin = await server.person('boss', ['admin', 'user'])
  const body = { name: 'Torque', data: { manager: 'torque' as const, transport: 'local' as const } }
  const made = await server.must(api.clusters.createLocal, { body }, { token: admin.token })
  cluster = made.id
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

/** Runs a task immediately instead of through the queue. */
const task = async (name: string, payload: object, lastAttempt = false): Promise<void> => {
  const run: Run = {
    id: '1',
    attempt: 1,
    lastAttempt,
    signal: new AbortController().signal,
    log: testLog().log,
  }
  await server.app.tasks.find((each) => each.task.name === name)?.run(payload, run)
}
const jobs = async (): Promise<number> => {
  const file = path.join(folder, 'state/state.json')
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as { jobs: unknown[] }).jobs.length : 0
}
/** A submission in the state left by a server that died between storing and sending it. */
const unsent = async (): Promise<string> => {
  const body = { name: 'lost', data: { script: 'true', cores: 2 } }
  const job = await server.must(api.jobs.create, { body }, { token: admin.token })
  return insertSubmission(server, admin, {
    job_id: job.id,
    job_name: 'lost',
    cluster_id: cluster,
    run_as_admin: true,
    account: 'admin',
    state: 'submitting',
    data: JSON.stringify(job.data),
  })
}
const view = (id: string) => server.must(api.jobs.submission, { id }, { token: admin.token })
const waiting = () =>
  server.db.pool.query("select 1 from graphile_worker.jobs where task_identifier = 'settle-submission'")

describe('a submission whose arrival is unknown', () => {
  it('is waited for while it may still arrive, and then sent if it did not', async () => {
    const before = await jobs()
    const id = await unsent()
    await task('settle-submission', { submission: id })
    expect(await view(id)).toMatchObject({ state: 'submitting', nativeId: null })
    expect((await waiting()).rowCount).toBe(1)
    server.advance(2 * MINUTE + 1000)
    await task('settle-submission', { submission: id })
    server.advance(-2 * MINUTE - 1000)
    expect(await view(id)).toMatchObject({ state: 'queued', nativeId: expect.stringMatching(/\.head$/) })
    expect(await jobs()).toBe(before + 1)
    // Running the task again has no effect.
    await task('settle-submission', { submission: id })
    expect(await jobs()).toBe(before + 1)
  })

  it('is lost if the cluster reports an implausible id for it, and other submissions are not affected', async () => {
    const [forged, zero, fine] = [await unsent(), await unsent(), await unsent()]
    const numbers = new Map([
      [forged, '9'.repeat(4000)],
      [zero, '1\0'],
      [fine, '17[].head'],
    ])
    const access = {
      forSubmission: async () => ({
        connection: { scheduler: { findByMark: (mark: string) => numbers.get(mark) } },
        cluster: { id: cluster },
      }),
      submitsOnce: () => true,
      queryInTurn: async (_connection: unknown, found: unknown) => found,
      expect: () => {},
    } as unknown as ClusterAccess
    const { reconcile } = makeSending({
      db: server.db,
      clusterAccess: access,
      reconcileLater: async () => {},
      notifySoon: () => {},
      now: Date.now,
    })
    await Promise.all([forged, zero, fine].map((id) => reconcile(id, false)))
    expect(await view(fine)).toMatchObject({ state: 'queued', nativeId: '17[].head' })
    for (const id of [forged, zero]) expect(await view(id)).toMatchObject({ state: 'lost', nativeId: null })
  })

  it('is never sent under another account if its user was removed', async () => {
    const before = await jobs()
    const id = await unsent()
    await server.db.kysely
      .updateTable('submissions')
      .set({ user_id: null, run_as_admin: false, account: 'carol' })
      .where('id', '=', id)
      .execute()
    server.advance(3 * MINUTE)
    await task('settle-submission', { submission: id })
    server.advance(-3 * MINUTE)
    expect(await view(id)).toMatchObject({ state: 'lost', reason: expect.stringContaining('was removed') })
    expect(await jobs()).toBe(before)
  })

  it('is not run as admin for a user who is no longer an admin', async () => {
    const before = await jobs()
    const id = await unsent()
    const former = await server.person('former', ['user'])
    const submissions = server.db.kysely.updateTable('submissions').where('id', '=', id)
    await submissions.set({ user_id: former.id, submitted_by: 'former' }).execute()
    server.advance(2 * MINUTE + 1000)
    await task('settle-submission', { submission: id }).catch(() => undefined)
    server.advance(-2 * MINUTE - 1000)
    expect(await jobs()).toBe(before)
    expect(await view(id)).toMatchObject({
      state: 'failed',
      nativeId: null,
      reason: expect.stringContaining('no longer an admin'),
    })
  })

  it('that waits in the queue to run as admin is canceled if its submitter is no longer an admin', async () => {
    const former = await server.person('demoted', ['admin', 'user'])
    const body = { name: 'root', data: { script: 'sleep 600' } }
    const { id } = await server.must(api.jobs.create, { body }, { token: former.token })
    const sent = await server.must(
      api.jobs.submit,
      { body: { id, cluster, runAsAdmin: true } },
      { token: former.token },
    )
    const submission = sent.id
    await server.app.sweep()
    expect(await view(submission)).toMatchObject({ state: 'queued' })
    await server.must(
      api.users.update,
      { body: { id: former.id, role: ['user'] } },
      { token: admin.token, admin: true },
    )
    await server.app.sweep()
    expect(await view(submission)).toMatchObject({
      state: 'canceled',
      reason: expect.stringContaining('no longer an admin'),
    })
  })

  soakIt('is sent once if several servers reconcile it concurrently, and then waited for again', async () => {
    const before = await jobs()
    const id = await unsent()
    server.advance(3 * MINUTE)
    await Promise.all([1, 2, 3].map(() => task('settle-submission', { submission: id })))
    expect(await view(id)).toMatchObject({ state: 'queued' })
    expect(await jobs()).toBe(before + 1)
    // The state left by a server that died while resending it: whether it arrived is not known yet.
    const other = await unsent()
    await server.db.kysely
      .updateTable('submissions')
      .set({ submitted_at: new Date(Date.now() + 3 * MINUTE) })
      .where('id', '=', other)
      .execute()
    await task('settle-submission', { submission: other })
    server.advance(-3 * MINUTE)
    expect(await view(other)).toMatchObject({ state: 'submitting' })
    expect(await jobs()).toBe(before + 1)
  })

  it('is found by the leader if it has been in flight for too long, and is queued once', async () => {
    await server.db.pool.query('delete from graphile_worker._private_jobs')
    const id = await unsent()
    const { adopt } = server.app.jobs
    await adopt()
    const tasks = async () =>
      (
        await server.db.pool.query<{ key: string }>(
          "select key from graphile_worker.jobs where key = 'settle ' || $1",
          [id],
        )
      ).rowCount
    expect(await tasks()).toBe(0)
    server.advance(11_000)
    await adopt()
    await adopt()
    server.advance(-11_000)
    expect(await tasks()).toBe(1)
  })

  it('is not sent if it left output, even if the resource manager forgot it', async () => {
    const before = await jobs()
    const id = await unsent()
    await mkdir(path.join(folder, 'flotilla', id), { recursive: true })
    await writeFile(path.join(folder, 'flotilla', id, 'output.txt'), 'it ran')
    server.advance(3 * MINUTE)
    await task('settle-submission', { submission: id })
    server.advance(-3 * MINUTE)
    expect(await view(id)).toMatchObject({ state: 'lost', reason: expect.stringContaining('unknown') })
    expect(await jobs()).toBe(before)
  })

  soakIt('is not sent after so much time that the resource manager may have forgotten it', async () => {
    const before = await jobs()
    const id = await unsent()
    server.advance(10 * MINUTE)
    await task('settle-submission', { submission: id })
    server.advance(-10 * MINUTE)
    expect(await view(id)).toMatchObject({ state: 'lost' })
    expect(await jobs()).toBe(before)
  })

  it('does not stay open forever if its cluster never responds again', async () => {
    const id = await unsent()
    const right = process.env.PATH
    process.env.PATH = '/nowhere'
    await server.app.clusters.connections.reset(cluster)
    await expect(task('settle-submission', { submission: id })).rejects.toThrow('qstat')
    expect(await view(id)).toMatchObject({ state: 'submitting' })
    await task('settle-submission', { submission: id }, true)
    expect(await view(id)).toMatchObject({ state: 'lost' })
    process.env.PATH = right
    await server.app.clusters.connections.reset(cluster)
  })
})

describe('an action on a cluster', () => {
  it('that is no longer carried out fails after its time limit, and the cluster can be used again', async () => {
    const body = { name: 'Stuck', data: { manager: 'torque' as const, transport: 'local' as const } }
    const { id } = await server.must(api.clusters.createLocal, { body }, { token: admin.token })
    await server.must(api.clusters.deploy, { body: { id } }, { token: admin.token })
    const state = async () => (await server.must(api.clusters.view, { id }, { token: admin.token })).info
    await server.app.sweep()
    expect(await state()).toMatchObject({ state: 'deploying' })
    server.advance(181 * MINUTE)
    await server.app.sweep()
    server.advance(-181 * MINUTE)
    expect(await state()).toMatchObject({ state: 'failed', cause: expect.stringContaining('3 hours') })
    // A late result changes nothing.
    const run = await server.db.kysely
      .selectFrom('cluster_runs')
      .select('id')
      .where('cluster_id', '=', id)
      .executeTakeFirstOrThrow()
    await task('cluster-run', { run: run.id })
    expect(await state()).toMatchObject({ state: 'failed' })
    await server.must(api.clusters.deploy, { body: { id } }, { token: admin.token })
  })
})
