import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '@flotilla/contract/api'
import type { Endpoint } from '@flotilla/contract/endpoint'
import { trainingLogin } from '@flotilla/contract/trainings/login'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { testApp, urlOf, type TestApp } from '../../../../test/support/app/app'

/** The endpoints that a participant may call, except those that are open to visitors or to everyone. */
const allowed = new Set([
  'auth.logout',
  'auth.refresh',
  'ui.settings',
  'providers.list',
  'providers.sizesHash',
  'providers.osTypes',
  'trainings.list',
  'trainings.view',
  'trainings.own',
  'trainings.raiseOwnHand',
  'clusters.list',
  'clusters.participant',
  'clusters.view',
  'clusters.queue',
  'clusters.nodes',
  'clusters.node',
  'clusters.load',
  'clusters.logs',
  'clusters.activities',
  'apps.list',
  'apps.view',
  'appSessions.list',
  'appSessions.view',
  'appSessions.launch',
  'appSessions.open',
  'appSessions.end',
  'appSessions.remove',
  'appSessions.log',
  ...['file', 'outline', 'readChapter', 'markChapter', 'answer'].map((name) => `courses.${name}`),
  'desktops.create',
  'desktops.list',
  'desktops.view',
  'desktops.ticket',
  'desktops.password',
  'desktops.end',
  'desktops.endViewer',
])
const endpoints = Object.entries(api)
  .flatMap(([noun, calls]) =>
    Object.entries(calls as Record<string, Endpoint>).map(
      ([name, endpoint]) => [`${noun}.${name}`, endpoint] as const,
    ),
  )
  .filter(([, { access }]) => access !== 'everyone')

let app: TestApp
let participant: string
beforeAll(async () => {
  app = await testApp()
  const instructor = await app.person('teacher', ['instructor'])
  const training = await app.must(
    trainings.create,
    { body: { name: 'Python', data: { twoStep: false } } },
    instructor,
  )
  const { sessionCode } = training.data
  const body = { fullName: 'Ada', email: 'ada@example.org', sessionCode }
  participant = (await app.must(trainingLogin.login, { body })).token
})
afterAll(() => app.close())

test.each(endpoints.filter(([name]) => name !== 'auth.logout'))('%s', async (name, endpoint) => {
  const { status } = await app.call(endpoint.method, urlOf(endpoint), {
    as: participant,
    body: endpoint.body ? {} : undefined,
  })
  if (allowed.has(name)) expect([401, 403]).not.toContain(status)
  else expect(status).toBe(403)
})
