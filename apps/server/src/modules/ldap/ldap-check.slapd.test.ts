import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessTokens } from '@flotilla/contract/people/access-tokens'
import { auth } from '@flotilla/contract/people/auth'
import { ldapServers } from '@flotilla/contract/people/ldap-servers'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { LDAP_PASSWORD, startSlapd, type TestSlapd } from '../../../test/support/services/slapd'

let server: TestApp
let slapd: TestSlapd
let admin: string
beforeAll(async () => {
  ;[slapd, server] = await Promise.all([startSlapd(), testApp()])
  admin = (await server.person('siteadmin', ['admin'])).token
})
afterAll(async () => {
  await server.close()
  await slapd.close()
})

const addServer = async (more = {}): Promise<string> =>
  (await server.must(ldapServers.create, { body: slapd.settings(more) }, { token: admin })).id
const login = (ldapServerId: string, username: string) =>
  server.must(auth.ldapLogin, { body: { username, password: LDAP_PASSWORD, ldapServerId } })
/** Runs the check. Also drops cached sessions, because a test app does not receive the notifications that do so. */
const check = async (): Promise<void> => {
  await server.app.sweep()
  server.app.sessions.forgetAll()
}
/** Whether a session or access token works after the check. */
const works = async (token: string): Promise<boolean> => {
  await check()
  return (await server.answer(api.clusters.list, {}, { token })).status === 200
}

it.each([
  ['found by search', {}],
  ['of a DN template', { userDnTemplate: 'uid={username},ou=people,dc=example,dc=org' }],
])('sessions and tokens of a removed or disabled user %s end', async (how, settings) => {
  const id = await addServer({ name: how, ...settings })
  const prefix = how.replace(/\W/g, '')
  const [removed, disabled, stays] = [`${prefix}removed`, `${prefix}disabled`, `${prefix}stays`]
  const removedDn = await slapd.addPerson(removed)
  const disabledDn = await slapd.addPerson(disabled)
  await slapd.addPerson(stays)
  const tokens = [await login(id, removed), await login(id, disabled), await login(id, stays)].map(
    ({ token }) => token,
  )
  const { secret } = await server.must(
    accessTokens.create,
    { body: { name: 'script', scope: 'read' } },
    { token: tokens[1] },
  )
  for (const token of [...tokens, secret]) expect(await works(token)).toBe(true)

  await slapd.remove(removedDn)
  await slapd.change(disabledDn, 'shadowExpire', ['1'])
  const [removedToken = '', disabledToken = '', staysToken = ''] = tokens
  expect(await works(removedToken)).toBe(false)
  expect(await works(disabledToken)).toBe(false)
  expect(await works(secret)).toBe(false)
  expect(await works(staysToken)).toBe(true)
  const refused = await server.refused(api.auth.ldapLogin, {
    body: { username: disabled, password: LDAP_PASSWORD, ldapServerId: id },
  })
  expect(refused.status).toBe(401)

  await slapd.change(disabledDn, 'shadowExpire', [])
  const again = await login(id, disabled)
  expect(again.user.endTime).toBeNull()
  expect(await works(again.token)).toBe(true)
})

it('roles are revoked from users who are logged in', async () => {
  const dn = await slapd.addPerson('demoted')
  const group = await slapd.addGroup('admins', [dn])
  const id = await addServer({ name: 'Roles', roleGroups: { admin: [group], instructor: [], user: [] } })
  const { token } = await login(id, 'demoted')
  await server.must(api.users.list, {}, { token })
  await slapd.setMembers(group, [])
  await check()
  expect((await server.refused(api.users.list, {}, { token })).status).toBe(403)
})

it('an end time that an admin has set is kept', async () => {
  const dn = await slapd.addPerson('ending')
  const id = await addServer({ name: 'Ending' })
  const { token, user } = await login(id, 'ending')
  const endTime = Date.now() + 1_000_000_000
  const body = { id: user.id, endTime }
  await server.must(api.users.update, { body }, { token: admin, admin: true })
  await slapd.change(dn, 'shadowExpire', ['1'])
  expect(await works(token)).toBe(false)
  await slapd.change(dn, 'shadowExpire', [])
  expect((await login(id, 'ending')).user.endTime).toBe(endTime)
})

it('deleting a server ends its sessions, and another server with the same users takes over the accounts', async () => {
  await slapd.addPerson('orphan')
  const id = await addServer({ name: 'Short-lived' })
  const { token, user } = await login(id, 'orphan')
  expect(await server.must(api.ldapServers.remove, { id }, { token: admin })).toEqual({ id })
  server.app.sessions.forgetAll()
  expect((await server.refused(api.clusters.list, {}, { token })).status).toBe(401)
  const next = await addServer({ name: 'Next' })
  expect((await login(next, 'orphan')).user).toMatchObject({ id: user.id, endTime: null })
})
