import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import { testApp, type TestApp } from '../../../test/support/app/app'
import type { SubmissionRow } from '../../db/tables/jobs'
import { exec } from '../../../test/support/exec'
import { testFolder } from '../../../test/support/folder'
import { insertCluster, insertSubmission } from '../../../test/support/app/rows'
import { uptimeText } from './services'

const HOUR_MS = 60 * 60_000

let server: TestApp
let admin: { id: string; token: string }
let ada: { id: string; token: string; username: string }
/** The first steps that the only admin of a new installation sees. */
let firstSteps: unknown
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('keeper', ['admin'])
  ;({ firstSteps } = await view(admin))
  ada = await server.person('adalove', ['user'])
})
afterAll(() => server.close())

const view = (as: { token: string }) => server.must(api.dashboard.view, {}, { token: as.token })

const cluster = (owner: { id: string }, name: string, more: Parameters<typeof insertCluster>[3] = {}) => {
  const counts = (names: string[], value: number) =>
    JSON.stringify(Object.fromEntries(names.map((one) => [one, value])))
  return insertCluster(server, owner, name, {
    queue_counts: counts(['blocked', 'completed', 'queued', 'running', 'total'], 2),
    node_counts: counts(['available', 'busy', 'down', 'offline', 'total', 'unknown'], 3),
    ...more,
  })
}

/** A submission by Ada. */
const submission = (
  id: string,
  job: string,
  more: Pick<SubmissionRow, 'state'> & Partial<Pick<SubmissionRow, 'reason' | 'submitted_at' | 'ended_at'>>,
) =>
  insertSubmission(server, ada, {
    id,
    job_id: job,
    job_name: `Stuck ${id}`,
    cluster_name: 'Of Ada',
    ...more,
  })

const newJob = () =>
  server.must(api.jobs.create, { body: { name: 'Stuck', data: { script: 'true' } } }, { token: ada.token })

/** A CA certificate that is valid for this many days. */
async function certificate(days: number): Promise<string> {
  const folder = await testFolder()
  const [key, file] = [path.join(folder, 'key.pem'), path.join(folder, 'ca.pem')]
  const make = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=CA -days ${days}`
  expect((await exec([...make.split(' '), '-keyout', key, '-out', file], { env: {} })).code).toBe(0)
  return readFile(file, 'utf8')
}

it('the dashboard lists for admins what a new installation lacks', async () => {
  expect(firstSteps).toEqual([
    { step: 'job', done: false },
    { step: 'cluster', done: false },
    { step: 'people', done: false },
    { step: 'mail', done: false },
  ])
  expect((await view(admin)).firstSteps).toContainEqual({ step: 'people', done: true })
  expect((await view(ada)).firstSteps).toEqual([])
})

describe('the status overview', () => {
  it('lists the services for admins, with figures where they are known', async () => {
    const { services, people } = await view(admin)
    expect(services.map(({ service }) => service)).toEqual([
      'Console',
      'Database',
      'Queue',
      'OpenTofu',
      'Packer',
      'Mail',
    ])
    const [console, database] = services
    expect(console).toMatchObject({ running: true, memory: expect.any(Number), cpu: expect.any(Number) })
    expect(console?.disk?.used).toBeLessThan(console?.disk?.total ?? 0)
    expect(database).toMatchObject({ running: true, message: expect.stringContaining('PostgreSQL') })
    expect(people).toMatchObject({ total: 2 })
    expect(await view(ada)).toMatchObject({ services: [], people: null })
  })

  it('totals all clusters, queues and nodes for admins, and their own for others', async () => {
    await cluster(admin, 'Of the admin')
    await cluster(admin, 'For everyone', { for_everyone: true })
    await cluster(ada, 'Of Ada', { state: 'stopped' })
    expect(await view(admin)).toMatchObject({
      clusters: { available: 2, stopped: 1 },
      queue: { running: 6, total: 6 },
      nodes: { busy: 9, total: 9 },
    })
    const { id } = await newJob()
    for (const [state, ended_at] of [
      ['running', null],
      ['blocked', null],
      ['completed', new Date()],
    ] as const)
      await submission(state, id, { state, ended_at })
    expect(await view(ada)).toMatchObject({
      clusters: { stopped: 1 },
      queue: { running: 1, blocked: 1, queued: 0, total: 2 },
      nodes: { total: 3 },
    })
  })
})

it('the totals include counts of a cluster beyond the range of an integer', async () => {
  const counts = JSON.stringify({ blocked: 0, completed: 0, queued: 3e9, running: 0, total: 3e9 })
  const id = await cluster(admin, 'Boastful', { queue_counts: counts })
  expect((await view(admin)).queue.queued).toBeGreaterThanOrEqual(3e9)
  await server.db.kysely.deleteFrom('clusters').where('id', '=', id).execute()
})

it('the first-run status covers only what the user has tried', async () => {
  const fresh = await server.person('newcomer', ['user'])
  const read = (as: { token: string }) => server.must(api.dashboard.firstRun, {}, { token: as.token })
  expect(await read(fresh)).toEqual({ firstJob: null, terminalOpened: false })
  const first = (await read(ada)).firstJob
  expect(first).toMatchObject({ name: expect.stringMatching(/^Stuck/), submittedAt: expect.any(Number) })
  await server.db.kysely
    .updateTable('submissions')
    .set({ ended_at: new Date() })
    .where('id', '=', first?.submissionId ?? '')
    .execute()
  expect((await read(ada)).firstJob).toMatchObject({ ended: true })
  expect((await read(fresh)).firstJob).toBeNull()
})

it('the uptime is given in its largest unit', () => {
  expect([20, 90, 3 * 3600, 26 * 3600, 40 * 86_400].map(uptimeText)).toEqual([
    'Running for less than a minute',
    'Running for 1 minute',
    'Running for 3 hours',
    'Running for 1 day',
    'Running for 40 days',
  ])
})

describe('what needs attention', () => {
  const texts = async (as: { token: string }) =>
    (await view(as)).attention.map(({ text, link }) => `${link} ${text}`)

  it('is listed for users who can resolve it, with the page to do so', async () => {
    await cluster(ada, 'Broken', { state: 'failed', cause: 'No capacity' })
    await cluster(ada, 'Gone', {
      poll_error: 'No route to host',
      poll_error_since: new Date(Date.now() - HOUR_MS),
    })
    await cluster(ada, 'Just now', { poll_error: 'Connection reset', poll_error_since: new Date() })
    const expected = [
      '/clusters/id-of-Broken Broken failed: No capacity',
      '/clusters/id-of-Gone/connection Gone cannot be reached: No route to host',
    ]
    expect(await texts(ada)).toEqual(expect.arrayContaining(expected))
    expect(await texts(admin)).toEqual(expect.arrayContaining(expected))
    expect((await texts(ada)).join()).not.toContain('Just now')
    const other = await server.person('other', ['user'])
    expect(await texts(other)).toEqual([])
  })

  it('includes what expires soon', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 24 * HOUR_MS - HOUR_MS)
    for (const [name, days] of [
      ['nightly', 5],
      ['yearly', 20],
    ] as const) {
      const token = { id: name, name, hash: name, user_id: ada.id, scope: 'read' as const }
      await server.db.kysely
        .insertInto('access_tokens')
        .values({ ...token, created_at: new Date(), expires_at: inDays(days) })
        .execute()
    }
    for (const [name, days] of [
      ['Campus', 15],
      ['Hospital', 60],
    ] as const) {
      const ca = await certificate(days)
      const body = { name, url: 'ldap://192.0.2.1', ca, baseDn: 'dc=example', userFilter: '(uid={username})' }
      await server.must(api.ldapServers.create, { body }, { token: await server.login('keeper') })
    }
    const ofUser = '/settings_user Your access token nightly expires in 5 days'
    const ofSite = '/settings/ldap The CA certificate of the LDAP server Campus expires in 15 days'
    const expiring = async (as: { token: string }) =>
      (await texts(as)).filter((text) => text.includes('expires in'))
    expect(await expiring(ada)).toEqual([ofUser])
    expect(await expiring(admin)).toEqual([ofSite])
    await server.db.kysely.deleteFrom('ldap_servers').execute()
  })

  it('includes resources left over in a cloud, with their price as far as it is known', async () => {
    const leave = (key: string, perHour: number | null) =>
      server.db.kysely
        .insertInto('leftovers')
        .values({
          key,
          provider: 'aws',
          credential_id: 'any',
          region: 'us-east-1',
          cluster_id: null,
          resource: JSON.stringify({ id: key, perHour }),
          found_at: new Date(),
        })
        .execute()
    const seen = async () => (await texts(admin)).filter((text) => text.includes('left over'))
    await leave('first', null)
    expect(await seen()).toEqual(['/settings/leftovers 1 cloud resource left over, price unknown'])
    await leave('second', 0.0068)
    expect(await seen()).toEqual([
      '/settings/leftovers 2 cloud resources left over, at least $0.007 per hour',
    ])
    await server.db.kysely.deleteFrom('leftovers').where('key', '=', 'first').execute()
    expect(await seen()).toEqual(['/settings/leftovers 1 cloud resource left over, $0.007 per hour'])
  })

  it('includes jobs that have been blocked for hours, for their owner and admins', async () => {
    const job = await newJob()
    for (const [id, hours] of [
      ['old', 5],
      ['new', 1],
    ] as const)
      await submission(id, job.id, {
        state: 'blocked',
        reason: 'No node is large enough',
        submitted_at: new Date(Date.now() - hours * HOUR_MS),
      })
    for (const person of [ada, admin]) {
      expect(await texts(person)).toContain(
        `/jobs/${job.id} Stuck old is blocked on Of Ada: No node is large enough`,
      )
      expect((await texts(person)).join()).not.toContain('Stuck new')
    }
  })
})

it('the load of the busiest clusters is reduced to the points that a chart can show', async () => {
  const ids = ['Busy', 'Idle'].map((name) => cluster(ada, name))
  const [busy = '', idle = ''] = await Promise.all(ids)
  const now = Date.now()
  const rows = Array.from({ length: 360 }, (_, index) => new Date(now - index * 10_000)).flatMap((time) => [
    { cluster_id: busy, time, cpus: 8, load_avg: 6 },
    { cluster_id: idle, time, cpus: 8, load_avg: 1 },
  ])
  await server.db.kysely.insertInto('cluster_loads').values(rows).execute()
  const query = { since: now - HOUR_MS, clusters: 1 }
  const points = await server.must(api.clusters.loads, { query }, { token: ada.token })
  expect(new Set(points.map(({ cluster_id }) => cluster_id))).toEqual(new Set([busy]))
  expect(points.length).toBeGreaterThan(30)
  expect(points.length).toBeLessThanOrEqual(62)
  for (const { loadAvg, cpus } of points) expect([loadAvg, cpus]).toEqual([6, 8])
  const other = await server.person('stranger', ['user'])
  expect(await server.must(api.clusters.loads, { query }, { token: other.token })).toEqual([])
})

describe('an announcement', () => {
  const read = () => server.must(api.announcements.view, {})

  it('can be removed, and cannot be posted for the past or by users who are not admins', async () => {
    const post = (as: string, endsAt: number) =>
      server.refused(api.announcements.set, { body: { text: 'Hello', endsAt } }, { token: as })
    expect(await post(admin.token, Date.now())).toMatchObject({
      status: 400,
      fields: { endsAt: 'Choose a time in the future' },
    })
    expect((await post(ada.token, Date.now() + 3 * HOUR_MS)).status).toBe(403)
    await server.must(
      api.announcements.set,
      { body: { text: 'Hello', endsAt: Date.now() + 3 * HOUR_MS } },
      { token: admin.token },
    )
    await server.must(api.announcements.remove, {}, { token: admin.token })
    expect(await read()).toEqual({ announcement: null })
  })

  // This test is last, because advancing the clock ends sessions.
  it('is visible to everyone until its end', async () => {
    const endsAt = Date.now() + HOUR_MS
    const body = { text: '  Maintenance at noon  ', endsAt }
    await server.must(api.announcements.set, { body }, { token: admin.token })
    expect((await read()).announcement).toMatchObject({ text: 'Maintenance at noon', endsAt, by: 'keeper' })
    expect((await view(ada)).announcement?.text).toBe('Maintenance at noon')
    server.advance(HOUR_MS)
    expect(await read()).toEqual({ announcement: null })
  })
})
