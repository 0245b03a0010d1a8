import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '@flotilla/contract/api'
import type { Training } from '@flotilla/contract/trainings/entity'
import { attendTraining } from '@flotilla/contract/trainings/trainings'
import { BrowserSocket } from '../../../test/support/console/browser-socket'
import { Console } from '../../../test/support/console/console'
import { probeApp } from '../../../test/support/apps/probe-app'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'

// These tests use a real server with its queue and its sockets.

let console: Console
beforeAll(async () => {
  console = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0' } })
})
afterAll(() => console.stop())

const admin = () => ({ token: console.admin, admin: true })
const create = (data: object): Promise<Training> =>
  console.must(api.trainings.create, { body: { name: 'Live', data: { twoStep: false, ...data } } }, admin())
const login = ({ data }: Training, email: string) =>
  console.must(api.trainingLogin.login, {
    body: { fullName: 'Ada', email, sessionCode: data.sessionCode },
  })
/** The events that end sessions, as this browser receives them. */
function endings({ socket }: BrowserSocket): { name: string; data: unknown }[] {
  const received: { name: string; data: unknown }[] = []
  for (const name of ['trainingSessionIsEnding', 'publicDemoSessionIsEnding', 'silentLogout'])
    socket.on(name, (data: unknown) => void received.push({ name, data }))
  return received
}

test('the end of a workshop ends the sessions and sockets of its participants only, even after a restart', async () => {
  const ending = await create({})
  const other = await create({})
  const ada = await login(ending, 'ada@example.org')
  const eve = await login(other, 'eve@example.org')
  // A restart does not lose the scheduled end.
  await console.kill()
  await console.run()
  const [adas, eves] = await Promise.all([
    BrowserSocket.open(console.url, ada.token),
    BrowserSocket.open(console.url, eve.token),
  ])
  const [adaReceived, eveReceived] = [endings(adas), endings(eves)]
  expect(await adas.call(attendTraining, {})).toMatchObject({ ok: true })
  const online = async () =>
    (await console.must(api.trainings.seats, { id: ending.id }, admin())).some((seat) => seat.online)
  expect(await online()).toBe(true)

  const body = { ...ending, data: { ...ending.data, endTime: Date.now() + 5000 } }
  await console.must(api.trainings.update, { id: ending.id, body }, admin())
  await until(() => !adas.socket.connected)
  expect(adaReceived).toMatchObject([
    {
      name: 'trainingSessionIsEnding',
      data: { sessionCode: ending.data.sessionCode, trainingId: ending.id },
    },
  ])
  expect(eveReceived).toEqual([])
  expect(eves.socket.connected).toBe(true)
  expect((await console.refused(api.trainings.own, {}, { token: ada.token })).status).toBe(401)
  const receipt = await until(() => console.must(api.trainings.receipt, { id: ending.id }, admin()))
  expect(receipt).toMatchObject({ participants: 1, accountsRemoved: 1, problems: [] })

  // Removing a participant logs them out silently.
  const userEmails = ['eve@example.org']
  await console.must(api.trainings.removeUsers, { id: other.id, body: { userEmails } }, admin())
  await until(() => !eves.socket.connected)
  expect(eveReceived).toMatchObject([{ name: 'silentLogout', data: { username: eve.user.username } }])
})

test('a user is notified when the end time of their account comes, and no other user is', async () => {
  const guest = await console.person('publicguest')
  const other = await console.person('someoneelse')
  const [guests, others] = await Promise.all([
    BrowserSocket.open(console.url, guest.token),
    BrowserSocket.open(console.url, other.token),
  ])
  const [guestReceived, otherReceived] = [endings(guests), endings(others)]
  await console.must(api.users.update, { body: { id: guest.id, endTime: Date.now() + 5000 } }, admin())
  await until(() => !guests.socket.connected)
  expect(guestReceived).toMatchObject([
    { name: 'publicDemoSessionIsEnding', data: { username: guest.username } },
  ])
  expect(otherReceived).toEqual([])
})

soakIt('each seat gets its own cluster, which is destroyed after the end', async () => {
  const data = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG' }
  const credential = await console.must(
    api.credentials.create,
    { body: { name: 'Teaching', provider: 'aws', data } },
    admin(),
  )
  const template = await console.must(
    api.clusters.create,
    {
      body: {
        name: 'Template',
        provider: 'aws',
        credential_id: credential.id,
        data: {
          manager: 'none',
          network: { region_id: 'us-east-1' },
          server: { instance_id: 't3.large' },
          node: { group: [{ count: 1, instance_id: 't3.large' }] },
        },
      },
    },
    admin(),
  )
  const training = await create({ seats: 2, seatMode: 'own', clusterId: template.id })
  const { id } = training
  const steps = await console.must(api.trainings.preflight, { id }, admin())
  expect(steps).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ step: 'Credential', state: 'ok' }),
      expect.objectContaining({ step: 'Price', state: 'ok' }),
    ]),
  )
  await console.must(api.trainings.prepare, { id }, admin())
  const prepared = await until(async () => {
    const { preparation } = await console.must(api.trainings.view, { id }, admin())
    return preparation.state === 'preparing' ? null : preparation
  })
  expect(prepared).toEqual({ state: 'ready', cause: null })
  const seats = await console.must(api.trainings.seats, { id }, admin())
  expect(seats.map(({ clusterState }) => clusterState)).toEqual(['available', 'available'])
  expect(new Set(seats.map(({ clusterId }) => clusterId)).size).toBe(2)
  const ada = await login(training, 'ada@example.org')
  const own = await console.must(api.clusters.participant, {}, { token: ada.token })
  expect(own.map((cluster) => cluster.id)).toEqual([seats[0]?.clusterId])

  await console.must(api.trainings.end, { id }, admin())
  const receipt = await until(() => console.must(api.trainings.receipt, { id }, admin()))
  expect(receipt).toMatchObject({ participants: 1, accountsRemoved: 2, problems: [] })
  expect(receipt.clusters.map(({ outcome }) => outcome)).toEqual(['destroyed', 'destroyed'])
  const left = await console.must(api.clusters.list, {}, admin())
  expect(left.map(({ name }) => name)).not.toContain('Live seat 1')
})

soakIt('the preflight check starts each app of the workshop once and reports those that fail', async () => {
  const machine = await console.thisMachine()
  const as = { token: console.admin }
  const { id: app } = await console.must(api.apps.create, { body: probeApp }, as)
  const broken = { ...probeApp, name: 'Broken', script: 'exit 3', fields: [] }
  const { id: brokenApp } = await console.must(api.apps.create, { body: broken }, as)
  const appsStep = async (appIds: string[]) => {
    const body = { name: 'Checked', data: { clusterId: machine, seats: 1, twoStep: false, appIds } }
    const { id } = await console.must(api.trainings.create, { body }, as)
    const steps = await console.must(api.trainings.preflight, { id }, as)
    return steps.find(({ step }) => step === 'Apps')
  }
  expect(await appsStep([app])).toEqual({ step: 'Apps', state: 'ok', message: 'All apps started' })
  expect(await appsStep([app, brokenApp])).toMatchObject({
    state: 'warning',
    message: expect.stringMatching(/^Broken ended before it was ready/),
  })
  const left = await console.must(api.appSessions.list, {}, as)
  await until(async () => {
    const states = (await console.must(api.appSessions.list, {}, as)).map(({ state }) => state)
    return states.every((state) => state === 'ended')
  })
  expect(left).toHaveLength(3)
})
