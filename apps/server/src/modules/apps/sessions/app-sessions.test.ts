import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import type { AppSession } from '@flotilla/contract/apps/sessions'
import { AppClient, entered, ticketFor } from '../../../../test/support/apps/app-client'
import { twoAppSessions } from '../../../../test/support/apps/two-app-sessions'
import type { Console, Person } from '../../../../test/support/console/console'

let server: Console
let machine: string
let ada: Person
let eve: Person
let app: string
let session: AppSession
let other: AppSession
beforeAll(async () => {
  ;({ server, machine, ada, eve, app, session, other } = await twoAppSessions())
})
afterAll(() => server.stop())

const viewOf = (person: Person) =>
  server.must(api.appSessions.view, { id: session.id }, { token: person.token })
type Echo = {
  url: string
  method: string
  headers: Record<string, string>
  size: number
  color: string
  base: string
}
const echoed = (text: string) => JSON.parse(text) as Echo

it('a session starts as a job, becomes ready and shows when it ends', async () => {
  const now = await viewOf(ada)
  expect(now).toMatchObject({
    state: 'ready',
    mine: true,
    owner: 'adalove',
    failed: false,
    app: { name: 'Probe' },
  })
  expect(now.endsAt).toBe((now.startedAt ?? 0) + 10 * 60_000)
  expect(await server.must(api.jobs.view, { id: now.jobId }, { token: ada.token })).toMatchObject({
    name: 'Probe',
  })
  const log = await server.must(api.appSessions.log, { id: session.id }, { token: ada.token })
  expect(log.text).toContain('listening')
})

it('an invalid launch is rejected with an error on each invalid field', async () => {
  const body = { app, cluster: machine, values: { color: 'green', size: '1' } }
  const answer = await server.refused(api.appSessions.launch, { body }, { token: ada.token })
  expect(answer).toMatchObject({
    status: 400,
    fields: {
      'values.color': expect.stringContaining('red'),
      'values.size': expect.stringContaining('no such'),
    },
  })
})

describe('the address of a session', () => {
  it('is opened once with a ticket, and then with a cookie for its own host name', async () => {
    const url = await ticketFor(server, ada.token, session.id)
    expect(url.host).toBe(`${session.id}.localhost:${new URL(server.url).port}`)
    const client = new AppClient(server.url, url.host)
    const first = await client.visit(url.pathname + url.search)
    expect(first).toMatchObject({ status: 303, headers: { location: '/', 'referrer-policy': 'no-referrer' } })
    const [cookie = ''] = first.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^__Host-flotilla-app=\S+; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/)
    expect((await client.visit(url.pathname + url.search)).status).toBe(403)
    client.cookie = cookie.split(';', 1)[0] ?? ''
    expect((await client.visit('/echo')).status).toBe(200)
  })

  it('rejects a ticket for another session', async () => {
    const url = await ticketFor(server, ada.token, session.id)
    const client = new AppClient(server.url, url.host.replace(session.id, other.id))
    expect((await client.visit(url.pathname + url.search)).status).toBe(403)
  })

  it('rejects requests without its cookie, with that of another session or with a modified one', async () => {
    const client = await entered(server, ada.token, session.id)
    const { cookie } = client
    for (const wrong of [
      '',
      (await entered(server, eve.token, other.id)).cookie,
      `${cookie.slice(0, -2)}xx`,
    ]) {
      client.cookie = wrong
      expect(await client.visit('/echo')).toMatchObject({
        status: 401,
        text: expect.stringContaining('from the console'),
      })
      expect(await client.upgrade()).toBeNull()
    }
  })

  it('forwards what the browser sent, except for what belongs to the console', async () => {
    const client = await entered(server, ada.token, session.id)
    const headers = {
      cookie: `mine=1; ${client.cookie}; __Host-flotilla-app=forged.x; more=2`,
      connection: 'keep-alive, x-secret-hop',
      'x-secret-hop': '1',
      'x-other': 'kept',
      'proxy-authorization': 'Basic eA==',
    }
    const answer = await client.visit('/echo?a=%2F&b=1', {
      method: 'PUT',
      headers,
      body: 'x'.repeat(100_000),
    })
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    const echo = echoed(answer.text)
    expect(echo).toMatchObject({ url: '/echo?a=%2F&b=1', method: 'PUT', size: 100_000, color: "it's blue" })
    expect(echo.base).toBe(`http://${client.host}/`)
    expect(echo.headers).toMatchObject({ host: client.host, cookie: 'mine=1; more=2', 'x-other': 'kept' })
    expect(echo.headers.authorization).toMatch(/^Bearer [\da-f]{48}$/)
    expect(Object.keys(echo.headers)).not.toContain('x-secret-hop')
    expect(Object.keys(echo.headers)).not.toContain('proxy-authorization')
    expect(answer.text).not.toContain('flotilla-app')
  })

  it('never forwards a token of the console', async () => {
    const client = await entered(server, ada.token, session.id)
    const tokenOf = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    expect((await client.visit('/echo', tokenOf(ada.token))).status).toBe(400)
    expect(echoed((await client.visit('/echo', tokenOf('of-the-app'))).text).headers.authorization).toBe(
      'Bearer of-the-app',
    )
  })

  it('allows only the console to show the app in a frame', async () => {
    const client = await entered(server, ada.token, session.id)
    const { headers } = await client.visit('/framed')
    expect(headers['x-frame-options']).toBeUndefined()
    expect(headers['content-security-policy']).toBe(`default-src *, frame-ancestors 'self' ${server.url}`)
  })

  it('streams responses, and WebSockets in both directions', async () => {
    const client = await entered(server, ada.token, session.id)
    const answer = await new Promise<IncomingMessage>((resolve) => {
      request(
        client.url,
        { path: '/slow', headers: { host: client.host, cookie: client.cookie } },
        resolve,
      ).end()
    })
    const pieces = answer.setEncoding('utf8')[Symbol.asyncIterator]()
    expect((await pieces.next()).value).toBe('first\n')
    await client.visit('/go')
    expect((await pieces.next()).value).toBe('last\n')

    const socket = await client.upgrade({ origin: `http://${client.host}` })
    socket?.write('there')
    const [back] = (await once(socket ?? answer, 'data')) as [Buffer]
    expect(back.toString()).toBe('there')
    socket?.destroy()
  })

  it('rejects requests with its cookie that pages of other sites and apps send', async () => {
    const client = await entered(server, ada.token, session.id)
    const foreign: Record<string, string>[] = [
      { origin: `http://${other.id}.localhost` },
      { origin: server.url },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    ]
    for (const headers of foreign) {
      expect((await client.visit('/echo', { headers })).status, JSON.stringify(headers)).toBe(403)
      expect(await client.upgrade(headers)).toBeNull()
    }
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await client.visit('/echo', { headers: link })).status).toBe(200)
    expect((await client.visit('/echo', { method: 'POST', headers: link, body: 'a=1' })).status).toBe(403)
  })
})

describe('host names', () => {
  const raw = async (host: string, path = '/api/health') =>
    (await new AppClient(server.url, host).visit(path)).status
  it('lead to the apps and never to the console, regardless of their spelling', async () => {
    for (const host of [
      `${session.id}.localhost`,
      `${session.id}.LOCALHOST.`,
      `${session.id.toUpperCase()}.localhost:1`,
    ])
      expect(await raw(host), host).toBe(401)
    for (const host of [
      'nosuchapp.localhost',
      'x.y.localhost',
      `${'0'.repeat(20)}.localhost.:80`,
      '.localhost',
    ])
      for (const path of ['/api/health', '/socket.io/?EIO=4&transport=polling', '/', '/assets/config.json'])
        expect(await raw(host, path), host + path).toBe(404)
    expect(await raw('localhost')).toBe(200)
    expect(await raw('notlocalhost')).toBe(200)
  })
  it('are rejected if the request names two of them', async () => {
    expect(await raw('localhost', `http://${session.id}.localhost/api/health`)).toBe(400)
    expect(await raw(`${session.id}.localhost`, `${server.url}/api/health`)).toBe(400)
  })
})
