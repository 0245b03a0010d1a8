import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { seedPeople } from '../src/cli/demo/people'
import { seed } from '../src/cli/demo/seed'
import type { Session } from '../src/cli/demo/session'
import { labelSite } from '../src/cli/demo/site'
import { parseEnvironment } from '../src/config'
import { freePort } from '../src/db/embedded/postmaster'
import { startServer, type RunningServer } from '../src/server'
import { newDatabase } from './support/database'
import { testLog } from './support/log'

const DAY_MS = 24 * 60 * 60_000

let server: RunningServer
let dataDir: string
let database: Awaited<ReturnType<typeof newDatabase>>
let grace: Session
let again: () => Promise<unknown>
beforeAll(async () => {
  vi.stubEnv('SIMULATED_CLOUD_PACE', '0')
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-demo-'))
  database = await newDatabase()
  const config = parseEnvironment({
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
    CLOUD: 'simulated',
    RATE_LIMIT: '1000000',
  })
  await labelSite(dataDir)
  server = await startServer(config, null, testLog().log)
  await seedPeople(server, Date.now())
  const { session } = await seed({ ...server, config })
  grace = await session('grace')
  again = () => seed({ ...server, config })
})
afterAll(async () => {
  await server.stop()
  await database.drop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

const range = (days: number) => ({ startMs: String(Date.now() - days * DAY_MS), endMs: String(Date.now()) })

it('has five clusters in clouds: two are well, one bursts, one failed and one is stopped', async () => {
  const clusters = await grace(api.clusters.list, {})
  const states = Object.fromEntries(clusters.map(({ name, info }) => [name, info.state]))
  expect(states).toMatchObject({ Aurora: 'available', Tensor: 'available' })
  expect(states).toMatchObject({ Helios: 'failed', Meridian: 'stopped', 'This machine': 'available' })
  const nimbus = clusters.find(({ name }) => name === 'Nimbus')
  expect(nimbus?.provider !== 'local' && nimbus?.info.bursting.mode).toBe('min')
})

it('lists what needs attention, and is labeled as demo data', async () => {
  const { attention, people, announcement } = await grace(api.dashboard.view, {})
  expect(attention.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['cluster', 'stack', 'jobs', 'credential', 'leftovers', 'approval']),
  )
  expect(people?.total).toBe(14)
  expect(announcement?.text).toMatch(/Aurora/)
  const config: unknown = await (await fetch(`${server.url}/assets/config.json`)).json()
  expect(config).toMatchObject({ siteLabel: 'Demo data', simulated: true })
})

it('has sixty days of usage by everyone, with idle machines, disks, a gap and a price that changed', async () => {
  const users = await grace(api.account.list, range(60))
  expect(users.length).toBeGreaterThanOrEqual(10)
  const clusters = await grace(api.usages.list, range(60))
  const aurora = clusters.find(({ name }) => name === 'Aurora')
  expect(aurora?.jobs).toBeGreaterThan(400)
  expect(aurora?.costs.idle).toBeGreaterThan(100)
  expect(aurora?.costs.disks).toBeGreaterThan(100)
  expect(clusters.find(({ name }) => name === 'Tensor')?.gpuHours).toBeGreaterThan(500)
  expect(clusters.find(({ name }) => name === 'Meridian')?.costs.stopped).toBeGreaterThan(10)
  const year = await grace(api.usages.summary, range(365))
  expect(year.days.length).toBeGreaterThanOrEqual(60)
  expect(year.gaps.map(({ cluster }) => cluster)).toEqual(['Nimbus'])
})

it('has jobs of every state, of which the finished ones have output', async () => {
  const jobs = await grace(api.jobs.list, { query: { limit: 100 } })
  const submissions = (
    await Promise.all(jobs.map(({ id }) => grace(api.jobs.submissions, { id, query: { limit: 200 } })))
  ).flat()
  expect(new Set(submissions.map(({ state }) => state))).toEqual(
    new Set(['queued', 'blocked', 'running', 'completed', 'failed', 'canceled']),
  )
  expect(jobs.some(({ lastSubmission }) => lastSubmission === null)).toBe(true)
  const { id = '' } = jobs.find(({ name }) => name === 'RNA-seq alignment') ?? {}
  expect((await grace(api.jobs.outputs, { id }))?.length).toBeGreaterThanOrEqual(3)
})

it('has an audit trail that verifies, and a second start adds nothing to it all', async () => {
  await server.app.sweep()
  const before = await grace(api.usages.list, range(60))
  await again()
  const after = await grace(api.usages.list, range(60))
  expect(after.map(({ name, jobs }) => [name, Math.abs(jobs - (before.find((one) => one.name === name)?.jobs ?? 0)) < 40])).toEqual(
    after.map(({ name }) => [name, true]),
  )
  expect(await grace(api.clusters.list, {})).toHaveLength(6)
  await server.app.sweep()
  const verified = await grace(api.activities.verify, {})
  expect(verified.problem).toBeNull()
})
