import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import type { AppSession } from '@flotilla/contract/apps/sessions'
import { entered } from '../../../../test/support/apps/app-client'
import { twoAppSessions } from '../../../../test/support/apps/two-app-sessions'
import type { Console, Person } from '../../../../test/support/console/console'
import { until } from '../../../../test/support/until'
import { soakIt } from '../../../../test/support/soak'

let server: Console
let machine: string
let ada: Person
let eve: Person
let session: AppSession
let other: AppSession
beforeAll(async () => {
  ;({ server, machine, ada, eve, session, other } = await twoAppSessions())
})
afterAll(() => server.stop())

/** Resolves when the other side closes the socket; must be called while it is open. */
const closing = (socket: Duplex | null) =>
  socket ? once(socket.resume(), 'close') : Promise.reject(new Error('the WebSocket was refused'))
const viewOf = (person: Person) =>
  server.must(api.appSessions.view, { id: session.id }, { token: person.token })

describe('access to a session', () => {
  const open = (person: Person) =>
    server.refused(api.appSessions.open, { id: session.id }, { token: person.token })
  const share = (collaborators: string[]) =>
    server.must(api.appSessions.share, { id: session.id, body: { collaborators } }, { token: ada.token })

  it('is limited to its owner', async () => {
    const as = { token: eve.token }
    const { id } = session
    for (const { status } of [
      await server.refused(api.appSessions.open, { id }, as),
      await server.refused(api.appSessions.end, { id }, as),
      await server.refused(api.appSessions.extend, { id, body: { minutes: 1 } }, as),
    ])
      expect(status).toBe(404)
    expect((await open({ ...ada, token: server.admin })).status).toBe(404)
  })

  it('of a collaborator starts and ends with the share, even on an open WebSocket', async () => {
    expect((await share(['evelyn'])).collaborators).toEqual(['evelyn'])
    const client = await entered(server, eve.token, session.id)
    expect((await client.visit('/echo')).status).toBe(200)
    const closed = closing(await client.upgrade())
    await share([])
    await closed
    expect((await client.visit('/echo')).status).toBe(401)
    expect((await open(eve)).status).toBe(404)
  })

  it('ends with the login in which the session was opened', async () => {
    const token = await server.login('adalove')
    const client = await entered(server, token, session.id)
    const closed = closing(await client.upgrade())
    await server.must(api.auth.logout, {}, { token })
    await closed
    expect((await client.visit('/echo')).status).toBe(401)
  })
})

it('a session can be extended', async () => {
  const before = (await viewOf(ada)).endsAt ?? 0
  const body = { minutes: 30 }
  const { endsAt } = await server.must(api.appSessions.extend, { id: session.id, body }, { token: ada.token })
  expect(endsAt).toBe(before + 30 * 60_000)
  const { rows } = await server.must(
    api.clusters.queue,
    { id: machine, query: { limit: 500 } },
    { token: server.admin },
  )
  expect(rows.map(({ name }) => name)).toContain('Probe')
})

it('a session cannot extend another account’s job by claiming its number', async () => {
  const swap = `update submissions a set native_id = b.native_id from submissions b
    where a.job_id = any($1) and b.job_id = any($1) and a.id <> b.id`
  const swapNumbers = () => server.sql(swap, [[session.jobId, other.jobId]])
  await swapNumbers()
  const extended = await server.refused(
    api.appSessions.extend,
    { id: session.id, body: { minutes: 30 } },
    { token: ada.token },
  )
  await swapNumbers()
  expect(extended).toMatchObject({ status: 403, message: expect.stringContaining('another account') })
})

soakIt(
  'a session survives a kill of the console, and its address stops working when the job ends',
  async () => {
    const client = await entered(server, ada.token, session.id)
    await server.kill()
    await server.run()
    expect((await client.visit('/echo')).status).toBe(200)
    const closed = closing(await client.upgrade())
    await server.must(api.appSessions.end, { id: session.id }, { token: ada.token })
    await closed
    await until(async () => (await client.visit('/echo')).status === 404)
    expect(await viewOf(ada)).toMatchObject({ state: 'ended', failed: false })
  },
)

it('collaborators lose access when the owner does, who can then no longer extend the session', async () => {
  const as = { token: server.admin, admin: true }
  const body = { collaborators: ['adalove'] }
  await server.must(api.appSessions.share, { id: other.id, body }, { token: eve.token })
  const client = await entered(server, ada.token, other.id)
  const answers = (status: number) => until(async () => (await client.visit('/echo')).status === status)
  await answers(200)

  const account = (endTime: number | null) =>
    server.must(api.users.update, { body: { id: eve.id, endTime } }, as)
  const closed = closing(await client.upgrade())
  await account(Date.now())
  await closed
  await answers(401)
  await account(null)
  await answers(200)

  // The collaborator keeps access to the cluster.
  const data = { manager: 'none', transport: 'local' } as const
  const cluster = { id: machine, name: 'This machine', forEveryone: false, ...body, data }
  await server.must(api.clusters.updateLocal, { body: cluster }, as)
  await answers(401)
  const extended = await server.refused(
    api.appSessions.extend,
    { id: other.id, body: { minutes: 30 } },
    { token: await server.login('evelyn') },
  )
  expect(extended).toMatchObject({ status: 403, message: expect.stringContaining('no longer have access') })
})
