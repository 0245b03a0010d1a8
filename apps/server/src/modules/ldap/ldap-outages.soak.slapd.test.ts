import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auth } from '@flotilla/contract/people/auth'
import { ldapServers } from '@flotilla/contract/people/ldap-servers'
import { LDAP_PAUSE_MS } from '@flotilla/contract/limits'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { LDAP_PASSWORD, startSlapd, type TestSlapd } from '../../../test/support/services/slapd'

let server: TestApp
let slapd: TestSlapd
let other: TestSlapd
let admin: string
beforeAll(async () => {
  ;[slapd, other, server] = await Promise.all([startSlapd(), startSlapd(), testApp()])
  admin = (await server.person('siteadmin', ['admin'])).token
})
afterAll(async () => {
  await server.close()
  await slapd.close()
  await other.close()
})

const addServer = async (at: TestSlapd, name: string): Promise<string> =>
  (await server.must(ldapServers.create, { body: at.settings({ name }) }, { token: admin })).id
const login = (ldapServerId: string, username: string) =>
  server.answer(api.auth.ldapLogin, { body: { username, password: LDAP_PASSWORD, ldapServerId } })

it('a server that is down is reported; no attempt is counted and no session ends', async () => {
  await slapd.addPerson('patient')
  const id = await addServer(slapd, 'Down')
  const { token } = await server.must(auth.ldapLogin, {
    body: { username: 'patient', password: LDAP_PASSWORD, ldapServerId: id },
  })
  await slapd.stop()
  for (let attempt = 0; attempt < 12; attempt++)
    expect((await login(id, 'patient')).json).toMatchObject({
      statusCode: 503,
      code: 'ldap_unavailable',
      part: 'Down',
      message:
        'The LDAP server Down cannot be used right now. Try again later or contact your administrator.',
    })
  await server.app.sweep()
  await server.must(api.auth.sessions, {}, { token })
  const reply = await server.must(api.ldapServers.test, { id, body: {} }, { token: admin })
  expect(reply).toMatchObject({
    ok: false,
    steps: [{ step: 'Connect', state: 'failed', message: expect.stringContaining('refused the connection') }],
  })
  await slapd.start()
  expect((await login(id, 'patient')).status).toBe(200)
})

it('a hanging server delays only its own logins', async () => {
  await slapd.addPerson('waiting')
  await other.addPerson('quick')
  const hanging = await addServer(slapd, 'Hanging')
  const fine = await addServer(other, 'Fine')
  await server.person('locallocal', ['user'])
  slapd.freeze()
  // More logins than are checked at once.
  const stuck = Array.from({ length: 30 }, () => login(hanging, 'waiting'))
  let answered = 0
  for (const one of stuck) void one.then(() => answered++)
  expect((await login(fine, 'quick')).status).toBe(200)
  expect(await server.login('locallocal')).toBeTruthy()
  expect(answered).toBe(0)
  for (const { json } of await Promise.all(stuck))
    expect(json).toMatchObject({
      statusCode: 503,
      message:
        'The LDAP server Hanging did not respond in time. Try again later or contact your administrator.',
    })
  slapd.thaw()
  server.advance(LDAP_PAUSE_MS)
  expect((await login(hanging, 'waiting')).status).toBe(200)
})
