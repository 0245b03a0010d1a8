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

it('holds back an address that asks too often, and no one else', async () => {
  const ask = (from: string) => server.call('GET', api.license.view.path, { from })
  const all = await Promise.all(Array.from({ length: 260 }, () => ask('10.1.1.1')))
  const refused = all.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.headers['retry-after']).toBe('1')
  expect(refused[0]?.json).toMatchObject({ code: 'too_many_requests' })
  expect((await ask('10.1.1.2')).status).toBe(200)
  server.advance(1000)
  expect((await ask('10.1.1.1')).status).toBe(200)
})

it('holds it back on the host names of apps too', async () => {
  const url = await server.app.http.listen({ host: '127.0.0.1', port: 0 })
  const client = new AppClient(url, `${'a'.repeat(20)}.localhost`)
  const ask = (from: string, at = '/') => client.visit(at, { headers: { 'x-forwarded-for': from } })
  const statuses = new Set<number>()
  for (let asked = 0; asked < 210; asked++) statuses.add((await ask('10.2.2.1')).status)
  expect(statuses).toEqual(new Set([404, 429]))
  expect(await ask('10.2.2.1', '/.flotilla/enter')).toMatchObject({
    status: 429,
    headers: { 'retry-after': '1' },
  })
  expect((await ask('10.2.2.2')).status).toBe(404)
  // What the proxy was told before says nothing.
  expect((await ask('6.6.6.6, 10.2.2.1')).status).toBe(429)
  // One bucket for both.
  const console = await fetch(url + api.license.view.path, { headers: { 'x-forwarded-for': '10.2.2.1' } })
  expect(console.status).toBe(429)
  server.advance(1000)
  expect((await ask('10.2.2.1')).status).toBe(404)
})
