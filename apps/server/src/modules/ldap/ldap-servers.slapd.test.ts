import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
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

const create = (more = {}) =>
  server.must(ldapServers.create, { body: slapd.settings(more) }, { token: admin })
const edit = (id: string, body: Sent<typeof ldapServers.update>['body']) =>
  server.answer(api.ldapServers.update, { id, body }, { token: admin })
const test = (id: string, username?: string) =>
  server.must(ldapServers.test, { id, body: username === undefined ? {} : { username } }, { token: admin })

it('servers are listed, edited and deleted without revealing a password', async () => {
  const made = await create({ name: 'Main' })
  expect(made).toMatchObject({ name: 'Main', active: true, passwordSet: true, people: 0, startTls: false })
  // An empty password is ignored; the stored one is still used.
  const edited = await edit(made.id, { name: 'Renamed', admin_password: '' })
  expect(edited.json).toMatchObject({ id: made.id, name: 'Renamed', passwordSet: true, baseDn: made.baseDn })
  expect((await test(made.id)).steps.find(({ step }) => step === 'Bind')).toMatchObject({ state: 'ok' })
  expect((await edit(made.id, { active: false })).status).toBe(200)
  expect(await server.must(api.ldap.active, {})).toEqual([])
  expect((await edit(made.id, { active: true })).status).toBe(200)
  expect(await server.must(api.ldap.active, {})).toEqual([{ id: made.id, name: 'Renamed' }])

  const row = await server.db.kysely
    .selectFrom('ldap_servers')
    .selectAll()
    .where('id', '=', made.id)
    .executeTakeFirstOrThrow()
  const activities = JSON.stringify(await server.must(api.activities.list, {}, { token: admin }))
  for (const text of [JSON.stringify(row), activities, edited.text, server.log()])
    expect(text).not.toContain('search secret')
  expect(activities).toContain('LDAP server Renamed')

  await server.must(api.ldapServers.remove, { id: made.id }, { token: admin })
  expect(await server.must(api.ldapServers.list, {}, { token: admin })).toEqual([])
  expect((await edit(made.id, { name: 'Gone' })).status).toBe(404)
})

it('a stored password is not sent elsewhere unless it is entered again', async () => {
  const { id } = await create({ name: 'Careful', startTls: true, ca: slapd.ca })
  for (const change of [{ url: 'ldap://elsewhere.example.org' }, { startTls: false }, { bindDn: 'cn=other' }])
    expect((await edit(id, change)).json, JSON.stringify(change)).toMatchObject({
      statusCode: 400,
      fields: { admin_password: expect.stringContaining('Enter the password again') },
    })
  expect((await edit(id, { startTls: false, admin_password: 'search secret' })).status).toBe(200)
  expect((await edit(id, { bindDn: '' })).json).toMatchObject({ passwordSet: false })
})

it.each([
  ['url', 'https://example.org'],
  ['url', 'ldap://user:secret@example.org'],
  ['url', 'ldap://example.org:99999'],
  ['url', 'ldap://169.254.169.254'],
  ['ca', 'not a certificate'],
  ['userFilter', '(uid=everyone)'],
  ['userFilter', '(uid={username}'],
  ['userDnTemplate', 'uid=everyone,dc=example'],
  ['groupFilter', '(member=everyone)'],
  ['baseDn', ''],
  ['baseDn', 'no DN'],
  ['name', ''],
])('the field %s is invalid with the value %s', async (field, value) => {
  const body = slapd.settings({ [field]: value })
  const refusal = await server.refused(api.ldapServers.create, { body }, { token: admin })
  expect(refusal).toMatchObject({ status: 400, fields: { [field]: expect.any(String) } })
})

it('a test of a server reports each step with its result', async () => {
  const dn = await slapd.addPerson('sample')
  const group = await slapd.addGroup('teachers', [dn])
  const roleGroups = { admin: [], instructor: [group], user: [] }
  const { id } = await create({ name: 'Tested', startTls: true, ca: slapd.ca, roleGroups })
  const { ok, steps } = await test(id, 'sample')
  expect(ok).toBe(true)
  expect(steps.map(({ step, state }) => [step, state])).toEqual([
    ['Connect', 'ok'],
    ['Encryption', 'ok'],
    ['Bind', 'ok'],
    ['Base DN', 'ok'],
    ['User', 'ok'],
  ])
  expect(steps[1]?.message).toContain('The certificate of localhost is signed by Test LDAP CA')
  expect(steps[4]?.message).toBe(
    `Grace Hopper (sample@example.org): ${dn}. In 1 group. Role: instructor, user.`,
  )
  expect((await test(id, 'nosuchuser')).steps[4]).toMatchObject({ state: 'warning' })
  expect(JSON.stringify(await test(id, 'sample'))).not.toContain(LDAP_PASSWORD)
})

it.each([
  ['Encryption', 'unknown certificate authority', () => ({ url: slapd.ldaps, ca: slapd.otherCa })],
  ['Bind', 'rejected the bind DN cn=search', () => ({ admin_password: 'wrong' })],
  ['Base DN', 'no such entry', () => ({ baseDn: `ou=nothing,${slapd.suffix}` })],
])('a test stops at %s with the reason', async (step, reason, settings) => {
  const { id } = await create({ name: `Fails at ${step}`, ...settings() })
  const { ok, steps } = await test(id)
  expect(ok).toBe(false)
  expect(steps.at(-1)).toMatchObject({ step, state: 'failed', message: expect.stringContaining(reason) })
})
