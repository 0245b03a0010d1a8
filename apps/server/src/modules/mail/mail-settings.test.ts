import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { startSmtp } from '../../../test/support/services/smtp'
import { soakIt } from '../../../test/support/soak'

let app: TestApp
let as: string
beforeAll(async () => {
  app = await testApp()
  as = (await app.person('chief', ['admin'])).token
})
afterAll(() => app.close())

const smtp = async (options = {}) => {
  const sink = await startSmtp(options)
  onTestFinished(sink.stop)
  return sink
}
const set = (body: Sent<typeof api.mail.set>['body']) => app.answer(api.mail.set, { body }, { token: as })
const send = async (to = 'ann@example.org') =>
  (await app.must(api.mail.test, { body: { to } }, { token: as })).steps
const plain = (port: number) => ({ host: '127.0.0.1', port, security: 'none' as const, username: '' })

test('a test email is sent through the configured mail server, whose response is shown', async () => {
  expect(await send()).toMatchObject([
    { state: 'warning', message: expect.stringContaining('No mail server is configured') },
  ])
  const sink = await smtp()
  expect(await set({ from: 'hpc@example.org', server: plain(sink.port) })).toMatchObject({ status: 200 })
  expect(await send()).toMatchObject([
    { step: 'connect', state: 'ok' },
    { state: 'ok', message: 'The server accepted it. Its response: 250 2.0.0 kept as 4711' },
  ])
  expect(sink.received[0]).toMatchObject({ to: ['<ann@example.org>'] })
  expect(sink.received[0]?.data).toContain('From: hpc@example.org')
  expect((await send('nobody@example.org')).at(-1)).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('550 5.1.1 No such mailbox here'),
  })
  sink.stop()
  expect(await send()).toMatchObject([
    { state: 'failed', message: 'Nothing is listening there. Check the host and the port.' },
  ])
  expect(await app.refused(api.mail.test, { body: { to: 'no address' } }, { token: as })).toMatchObject({
    status: 400,
    fields: { to: expect.any(String) },
  })
})

test('the password is sealed, never returned and not sent to another server', async () => {
  const sink = await smtp({ login: 'mailer:hunter2-secret' })
  const server = { ...plain(sink.port), username: 'mailer' }
  expect((await set({ from: null, server })).json).toMatchObject({
    fields: { 'server.password': expect.any(String) },
  })
  const saved = await set({ from: null, server: { ...server, password: 'hunter2-secret' } })
  expect(saved.json).toMatchObject({ hasPassword: true })
  expect(saved.text).not.toContain('hunter2')
  expect(await send()).toMatchObject([{ step: 'connect and log in', state: 'ok' }, { state: 'ok' }])
  // The password is kept if the server does not change.
  expect((await set({ from: 'new@example.org', server })).status).toBe(200)
  expect(await send()).toMatchObject([{ state: 'ok' }, { state: 'ok' }])
  for (const change of [{ host: 'localhost' }, { port: sink.port + 1 }, { username: 'other' }])
    expect((await set({ from: null, server: { ...server, ...change } })).json).toMatchObject({
      fields: { 'server.password': 'Enter the password for this server' },
    })
  await set({ from: null, server: { ...server, password: 'wrong' } })
  expect(await send()).toMatchObject([
    { state: 'failed', message: expect.stringMatching(/refused the username or the password.*535 5\.7\.8/) },
  ])
  const row = await app.db.kysely.selectFrom('site_settings').selectAll().executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('hunter2')
  const text = JSON.stringify(
    await app.must(api.activities.list, { query: { subject: 'mail settings' } }, { token: as }),
  )
  expect(text).toContain('"secret":true')
  expect(text + app.log()).not.toContain('hunter2')
})

soakIt('a server without TLS is not used if TLS is required', async () => {
  const sink = await smtp()
  await set({ from: null, server: { ...plain(sink.port), security: 'starttls' } })
  expect(await send()).toMatchObject([{ state: 'failed' }])
  await set({ from: null, server: { ...plain(sink.port), security: 'tls' } })
  expect(await send()).toMatchObject([{ state: 'failed' }])
  expect(sink.received).toEqual([])
})

test('invalid fields are named, other users are rejected, and the password must be confirmed', async () => {
  const body = { from: 'x', server: { host: 'a b', port: 0, security: 'ssl', username: '' } }
  const wrong = await app.call('PUT', api.mail.set.path, { as, body })
  expect(Object.keys((wrong.json as { fields: object }).fields)).toEqual([
    'from',
    'server.host',
    'server.port',
    'server.security',
  ])
  const { token } = await app.person('someone', ['instructor', 'user'])
  expect((await app.refused(api.mail.view, {}, { token })).status).toBe(403)
  app.advance(16 * 60_000)
  expect((await set({ from: null, server: null })).json).toMatchObject({ code: 'confirm_needed' })
})

test('SMTP_URL takes precedence, and its credentials are not shown', async () => {
  const sink = await smtp({ login: 'user:top-secret' })
  const other = await testApp({ SMTP_URL: `smtp://user:top-secret@127.0.0.1:${sink.port}` })
  onTestFinished(() => other.close())
  const { token } = await other.person('chief', ['admin'])
  const shown = await other.answer(api.mail.view, {}, { token })
  expect(shown.json).toMatchObject({ setBy: 'SMTP_URL', server: null })
  expect(shown.text).not.toContain('top-secret')
  const body = { from: null, server: plain(25) }
  expect(await other.refused(api.mail.set, { body }, { token })).toMatchObject({
    status: 409,
    fields: { server: 'Set by SMTP_URL on the server. Change it there.' },
  })
  const from = { from: 'hpc@example.org', server: null }
  await other.must(api.mail.set, { body: from }, { token })
  await other.must(api.mail.test, { body: { to: 'ann@example.org' } }, { token })
  expect(sink.received[0]?.data).toContain('From: hpc@example.org')
})
