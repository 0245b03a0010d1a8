import { api } from '@flotilla/contract/api'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console } from './support/console/console'
import { until } from './support/until'

const DAY_MS = 24 * 60 * 60_000
const DONE = 'All of the demo data is there'

let server: Console
const hasAllData = () => until(() => server.out.includes(DONE))
beforeAll(async () => {
  server = await Console.start({ program: 'cli/demo.js', env: { SIMULATED_CLOUD_PACE: '0' } })
  await hasAllData()
})
afterAll(() => server.stop())

const call = <E extends Endpoint>(endpoint: E, input: Sent<E>): Promise<Reply<E>> =>
  server.must(endpoint, input, { token: server.admin })
const range = (days: number) => ({ startMs: String(Date.now() - days * DAY_MS), endMs: String(Date.now()) })

it('has five cloud clusters: two are available, one bursts, one has failed and one is stopped', async () => {
  const clusters = await call(api.clusters.list, {})
  const states = Object.fromEntries(clusters.map(({ name, info }) => [name, info.state]))
  expect(states).toMatchObject({ Aurora: 'available', Tensor: 'available' })
  expect(states).toMatchObject({ Helios: 'failed', Meridian: 'stopped', 'This machine': 'available' })
  const nimbus = clusters.find(({ name }) => name === 'Nimbus')
  expect(nimbus?.provider !== 'local' && nimbus?.info.bursting.mode).toBe('min')
})

it('lists what needs attention, and is labeled as demo data', async () => {
  const { attention, people, announcement } = await call(api.dashboard.view, {})
  expect(attention.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['cluster', 'stack', 'jobs', 'credential', 'leftovers', 'approval']),
  )
  // This includes the five participants of the workshop.
  expect(people?.total).toBe(19)
  expect(announcement?.text).toMatch(/Aurora/)
  const config: unknown = await (await fetch(`${server.url}/assets/config.json`)).json()
  expect(config).toMatchObject({ siteLabel: 'Demo data', simulated: true })
})

it('has sixty days of usage by everyone, with idle machines, disks, a gap and a price that changed', async () => {
  const users = await call(api.account.list, range(60))
  expect(users.length).toBeGreaterThanOrEqual(10)
  const clusters = await call(api.usages.list, range(60))
  const aurora = clusters.find(({ name }) => name === 'Aurora')
  expect(aurora?.jobs).toBeGreaterThan(400)
  expect(aurora?.costs.idle).toBeGreaterThan(100)
  expect(aurora?.costs.disks).toBeGreaterThan(100)
  expect(clusters.find(({ name }) => name === 'Tensor')?.gpuHours).toBeGreaterThan(500)
  expect(clusters.find(({ name }) => name === 'Meridian')?.costs.stopped).toBeGreaterThan(10)
  const year = await call(api.usages.summary, range(365))
  expect(year.days.length).toBeGreaterThanOrEqual(60)
  expect(year.gaps.map(({ cluster }) => cluster)).toEqual(['Nimbus'])
})

it('has a running workshop with five participants, one with a raised hand, and prints its session code', async () => {
  const [workshop] = await call(api.trainings.list, {})
  expect(workshop).toMatchObject({ state: 'running', seatsTaken: 5, handsRaised: 1 })
  expect(server.out).toContain(workshop?.data.sessionCode)
  const seats = await call(api.trainings.seats, { id: workshop?.id ?? '' })
  expect(seats.filter(({ fullName }) => fullName !== null)).toHaveLength(5)
  const progress = await call(api.courses.progress, {
    id: workshop?.data.courseId ?? '',
    query: { trainingId: workshop?.id ?? '' },
  })
  expect(progress.filter(({ answers }) => answers.length > 0)).toHaveLength(4)
})

it('has jobs in every state, and output for those that have finished', async () => {
  const jobs = await call(api.jobs.list, { query: { limit: 100 } })
  const submissions = (
    await Promise.all(jobs.map(({ id }) => call(api.jobs.submissions, { id, query: { limit: 200 } })))
  ).flat()
  expect(new Set(submissions.map(({ state }) => state))).toEqual(
    new Set(['queued', 'blocked', 'running', 'completed', 'failed', 'canceled']),
  )
  expect(jobs.some(({ lastSubmission }) => lastSubmission === null)).toBe(true)
  const { id = '' } = jobs.find(({ name }) => name === 'RNA-seq alignment') ?? {}
  expect((await call(api.jobs.outputs, { id }))?.length).toBeGreaterThanOrEqual(3)
})

it('creates no further data at a second start', async () => {
  await server.kill()
  await server.run()
  await hasAllData()
  expect(await call(api.clusters.list, {})).toHaveLength(6)
  const jobs = await call(api.jobs.list, { query: { limit: 100 } })
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length)
})

it('has an audit trail that verifies', async () => {
  await call(api.activities.verify, {})
  const verified = await until(async () => {
    const found = await call(api.activities.verification, {})
    return found.checkedAt === null ? null : found
  })
  expect(verified.problem).toBeNull()
  expect(verified.records).toBeGreaterThan(2000)
})
