import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AppClient } from '../../test/support/apps/app-client'
import { testApp, type TestApp } from '../../test/support/app/app'

let server: TestApp
beforeAll(async () => {
  server = await testApp({ RATE_LIMIT: '200', TRUST_PROXY: 'loopback' })
  server.stopClock()
})
afterAll(() => server.close())

it('limits an address that sends too many requests, and no other', async () => {
  const send = (from: string) => server.call('GET', api.license.view.path, { from })
  const all = await Promise.all(Array.from({ length: 260 }, () => send('10.1.1.1')))
  const refused = all.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.headers['retry-after']).toBe('1')
  expect(refused[0]?.json).toMatchObject({ code: 'too_many_requests' })
  expect((await send('10.1.1.2')).status).toBe(200)
  server.advance(1000)
  expect((await send('10.1.1.1')).status).toBe(200)
})

it('limits requests to the host names of apps too', async () => {
  const url = await server.app.http.listen({ host: '127.0.0.1', port: 0 })
  const client = new AppClient(url, `${'a'.repeat(20)}.localhost`)
  const send = (from: string, at = '/') => client.visit(at, { headers: { 'x-forwarded-for': from } })
  const statuses = new Set<number>()
  for (let sent = 0; sent < 210; sent++) statuses.add((await send('10.2.2.1')).status)
  expect(statuses).toEqual(new Set([404, 429]))
  expect(await send('10.2.2.1', '/.flotilla/enter')).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
  })
  expect((await send('10.2.2.2')).status).toBe(404)
  // Addresses that the proxy received from the client are ignored.
  expect((await send('6.6.6.6, 10.2.2.1')).status).toBe(429)
  // The console and the apps share one bucket.
  const console = await fetch(url + api.license.view.path, { headers: { 'x-forwarded-for': '10.2.2.1' } })
  expect(console.status).toBe(429)
  server.advance(1000)
  expect((await send('10.2.2.1')).status).toBe(404)
})
