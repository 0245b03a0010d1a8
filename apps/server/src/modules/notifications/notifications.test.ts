import { api } from '@flotilla/contract/api'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { insertSubmission } from '../../../test/support/app/rows'

let server: TestApp
type Person = { id: string; token: string; username: string }
let ada: Person
let eve: Person
beforeAll(async () => {
  server = await testApp()
  ada = await server.person('adalove', ['user'])
  eve = await server.person('evelyn', ['user'])
})
afterAll(() => server.close())

const choose = (jobs: 'never' | 'failed' | 'always') =>
  server.must(api.notifications.set, { body: { jobs } }, { token: ada.token })

/** Creates a job that ends now. */
async function ended(by: Person, name: string, state: Submission['state'], reason?: string) {
  const body = { name, data: { script: 'true' } }
  const { id } = await server.must(api.jobs.create, { body }, { token: by.token })
  await insertSubmission(server, by, {
    id: `s-${name}`,
    job_id: id,
    job_name: name,
    cluster_name: 'This machine',
    state,
    reason: reason ?? null,
    ended_at: new Date(),
  })
  return id
}
async function mailed() {
  server.mails.length = 0
  await server.app.sweep()
  return server.mails
}

it('users get one email about all of their ended jobs, as they chose', async () => {
  await ended(ada, 'before', 'failed')
  expect(await server.must(api.notifications.view, {}, { token: ada.token })).toEqual({
    jobs: 'never',
    email: 'adalove@example.org',
    verified: true,
    delivered: false,
  })
  expect(await choose('failed')).toMatchObject({ jobs: 'failed' })
  expect(await mailed()).toEqual([])

  const id = await ended(ada, 'broken', 'failed', 'Exit code 1')
  await ended(ada, 'fine', 'completed')
  await ended(ada, 'stopped', 'canceled')
  await ended(eve, 'other', 'failed')
  const [mail, ...more] = await mailed()
  expect(more).toEqual([])
  expect(mail).toMatchObject({ to: 'adalove@example.org', subject: 'broken failed on This machine' })
  expect(mail?.text).toContain(`- broken on This machine, failed: Exit code 1\n  http://`)
  expect(mail?.text).toContain(`/jobs/${id}?submission=s-broken\n`)
  expect(await mailed()).toEqual([])

  await choose('always')
  await ended(ada, 'first', 'completed')
  await ended(ada, 'second', 'lost')
  expect(await mailed()).toMatchObject([{ subject: '2 jobs ended, 1 failed' }])
  await choose('never')
  await ended(ada, 'last', 'failed')
  expect(await mailed()).toEqual([])
})

it('invalid settings are rejected, and each user sees only their own', async () => {
  const put = (body: object) => server.call('PUT', api.notifications.set.path, { as: ada.token, body })
  expect(await put({ jobs: 'sometimes' })).toMatchObject({
    status: 400,
    json: { fields: { jobs: expect.any(String) } },
  })
  expect((await put({ jobs: 'always', email: 'eve@example.org' })).status).toBe(400)
  expect((await server.must(api.notifications.view, {}, { token: eve.token })).jobs).toBe('never')
})
