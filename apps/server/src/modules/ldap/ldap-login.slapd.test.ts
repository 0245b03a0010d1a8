import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auth } from '@flotilla/contract/people/auth'
import { ldapServers } from '@flotilla/contract/people/ldap-servers'
import { users } from '@flotilla/contract/people/users'
import { PASSWORD, testApp, type TestApp } from '../../../test/support/app/app'
import { LDAP_PASSWORD, startSlapd, type TestSlapd } from '../../../test/support/services/slapd'

let server: TestApp
let slapd: TestSlapd
let admin: string
beforeAll(async () => {
  slapd = await startSlapd()
  server = await testApp()
  admin = (await server.person('siteadmin', ['admin'])).token
})
afterAll(async () => {
  await server.close()
  await slapd.close()
})

const addServer = async (more = {}): Promise<string> =>
  (await server.must(ldapServers.create, { body: slapd.settings(more) }, { token: admin })).id
const login = (ldapServerId: string, username: string, password = LDAP_PASSWORD) =>
  server.answer(api.auth.ldapLogin, { body: { username, password, ldapServerId } })
const loggedIn = async (ldapServerId: string, username: string) =>
  server.must(auth.ldapLogin, { body: { username, password: LDAP_PASSWORD, ldapServerId } })
const edit = (id: string, body: object) => server.must(api.ldapServers.update, { id, body }, { token: admin })

describe('a login with an LDAP server', () => {
  it.each([
    ['plain', () => ({})],
    ['StartTLS', () => ({ startTls: true, ca: slapd.ca })],
    ['LDAPS', () => ({ url: slapd.ldaps, ca: slapd.ca })],
    ['a DN template', () => ({ userDnTemplate: `uid={username},ou=people,${slapd.suffix}` })],
    [
      'a DN template and no bind DN',
      () => ({
        userDnTemplate: `uid={username},ou=people,${slapd.suffix}`,
        bindDn: '',
        admin_password: '',
        groupBaseDn: '',
      }),
    ],
  ])('by %s creates the account at first and finds it again later', async (how, settings) => {
    const uid = `kind${how.replace(/\W/g, '').toLowerCase().slice(0, 20)}`
    await slapd.addPerson(uid)
    const id = await addServer({ name: how, ...settings() })
    const first = await loggedIn(id, uid.toUpperCase())
    expect(first.user).toMatchObject({
      username: uid,
      firstName: 'Grace',
      lastName: 'Hopper',
      email: `${uid}@example.org`,
      role: ['user'],
      authType: 'ldap',
      registered: false,
      verified: true,
    })
    expect((await loggedIn(id, uid)).user.id).toBe(first.user.id)
    expect((await login(id, uid, 'Wrong horse 1')).json).toMatchObject({
      statusCode: 401,
      code: 'wrong_credentials',
      message: 'Authentication Error',
    })
  })

  it('is refused before anything is sent when the certificate is not trusted', async () => {
    await slapd.addPerson('unknownca')
    for (const [name, settings] of [
      ['LDAPS and another CA', { url: slapd.ldaps, ca: slapd.otherCa }],
      ['LDAPS and the CAs of the system', { url: slapd.ldaps }],
      ['StartTLS and another CA', { startTls: true, ca: slapd.otherCa }],
      [
        'a name that the certificate is not for',
        { url: slapd.ldaps.replace('localhost', '127.0.0.1'), ca: slapd.ca },
      ],
    ] as const) {
      const id = await addServer({ name, ...settings })
      expect((await login(id, 'unknownca')).json, name).toMatchObject({
        statusCode: 503,
        code: 'ldap_unavailable',
        message: `The LDAP server ${name} cannot be used right now. Try again later or contact your administrator.`,
      })
    }
  })

  it('never binds with an empty password, whether by search or by DN template', async () => {
    await slapd.addPerson('nopassword')
    const template = { userDnTemplate: `uid={username},ou=people,${slapd.suffix}` }
    for (const id of [
      await addServer({ name: 'Empty 1' }),
      await addServer({ name: 'Empty 2', ...template }),
    ])
      expect((await login(id, 'nopassword', '')).json).toMatchObject({
        statusCode: 400,
        fields: { password: 'Enter your password' },
      })
    expect(
      await server.refused(
        api.ldapServers.create,
        { body: slapd.settings({ admin_password: '' }) },
        { token: admin },
      ),
    ).toMatchObject({
      status: 400,
      fields: { admin_password: expect.stringContaining('Enter the password') },
    })
  })

  it('treats input as a username and never as a filter or a DN', async () => {
    await slapd.addPerson('victim')
    const bySearch = await addServer({ name: 'Injection 1' })
    const byTemplate = await addServer({
      name: 'Injection 2',
      userDnTemplate: `uid={username},ou=people,${slapd.suffix}`,
    })
    for (const username of ['*', 'vic*', 'victim)(uid=*', '*)(objectClass=*', '\\76ictim'])
      for (const id of [bySearch, byTemplate]) expect((await login(id, username)).status, username).toBe(401)
    expect((await login(byTemplate, `victim,ou=people,${slapd.suffix}`)).status).toBe(401)
    expect((await login(byTemplate, 'victim+cn=Grace Hopper')).status).toBe(401)
  })

  it('finds users whose DN needs escaping, and their groups', async () => {
    const id = await addServer({ name: 'Escapes' })
    const rdn = String.raw`cn=Hopper\, Grace \"Amazing\" \+ (Rear) \\ Müller\#`
    const dn = await slapd.addPerson('escaped', { cn: 'Hopper, Grace "Amazing" + (Rear) \\ Müller#' }, rdn)
    const group = await slapd.addGroup('escaped ones', [dn])
    await edit(id, {
      roleGroups: { admin: [], instructor: [group.toUpperCase().replace(',', ' ,  ')], user: [] },
    })
    expect((await loggedIn(id, 'escaped')).user.role).toEqual(['instructor', 'user'])
  })

  it('assigns the roles of the groups at each login', async () => {
    const dn = await slapd.addPerson('mapped')
    const admins = await slapd.addGroup('admins', [dn])
    const people = await slapd.addGroup('people', [dn])
    const roleGroups = { admin: [admins], instructor: [], user: [people] }
    const id = await addServer({ name: 'Groups', roleGroups })
    const first = await loggedIn(id, 'mapped')
    expect(first.user.role).toEqual(['admin', 'user'])
    await server.must(api.users.list, {}, { token: first.token })

    await slapd.setMembers(admins, [])
    expect((await loggedIn(id, 'mapped')).user.role).toEqual(['user'])
    // The earlier session has lost the role too.
    expect((await server.refused(api.users.list, {}, { token: first.token })).status).toBe(403)

    await slapd.setMembers(people, [])
    expect((await login(id, 'mapped')).json).toMatchObject({ statusCode: 403, code: 'ldap_not_allowed' })
    await slapd.setMembers(people, [dn])
    expect((await loggedIn(id, 'mapped')).user.role).toEqual(['user'])
  })

  it('leaves roles to the admins of the site when no group assigns them', async () => {
    await slapd.addPerson('unmapped')
    const id = await addServer({ name: 'No groups' })
    const { user } = await loggedIn(id, 'unmapped')
    await server.must(
      users.update,
      { body: { id: user.id, role: ['instructor'] } },
      { token: admin, admin: true },
    )
    expect((await loggedIn(id, 'unmapped')).user.role).toEqual(['instructor'])
  })

  it('never takes over an account of the same name', async () => {
    const local = await server.person('samename', ['admin'])
    const dn = await slapd.addPerson('samename')
    const id = await addServer({ name: 'Same name' })
    expect((await login(id, 'samename')).json).toMatchObject({ statusCode: 409, code: 'other_account' })
    expect(
      (await server.must(users.list, { query: { search: 'samename' } }, { token: admin }))[0],
    ).toMatchObject({
      id: local.id,
      authType: 'local',
      role: ['admin'],
      email: 'samename@example.org',
    })
    expect(await server.login('samename', PASSWORD)).toBeTruthy()
    await slapd.remove(dn)

    // A new user gets the name of a removed one.
    const left = await slapd.addPerson('reused')
    const before = await loggedIn(id, 'reused')
    await slapd.remove(left)
    await slapd.addPerson('reused')
    expect((await login(id, 'reused')).json).toMatchObject({ statusCode: 409, code: 'other_account' })
    expect(before.user.username).toBe('reused')

    // Names of system accounts are refused.
    for (const uid of ['root', 'www-data', 'bin', 'slurm']) {
      await slapd.addPerson(uid)
      expect((await login(id, uid)).json, uid).toMatchObject({ statusCode: 403, code: 'ldap_not_allowed' })
    }
  })

  it('leaves out an email address that belongs to another user', async () => {
    await slapd.addPerson('sharedmail', { mail: 'siteadmin@example.org' })
    const id = await addServer({ name: 'Shared mail' })
    expect((await loggedIn(id, 'sharedmail')).user.email).toBe('')
    await slapd.addPerson('nomail', { mail: 'not an address' })
    expect((await loggedIn(id, 'nomail')).user.email).toBe('')
  })

  it('counts and records wrong passwords like local logins', async () => {
    await slapd.addPerson('guessed')
    const id = await addServer({ name: 'Guessed' })
    await loggedIn(id, 'guessed')
    for (let guess = 0; guess < 10; guess++)
      expect((await login(id, 'guessed', `guess ${guess}`)).status).toBe(401)
    expect((await login(id, 'guessed')).json).toMatchObject({ statusCode: 429, code: 'too_many_attempts' })
    const trail = await server.must(api.activities.list, { query: { limit: 20 } }, { token: admin })
    expect(JSON.stringify(trail)).toContain('user guessed')
    expect(JSON.stringify(trail)).toContain('wrong password')
    server.advance(10 * 60_000)
    expect((await login(id, 'guessed')).status).toBe(200)
  })

  it('leads to an account whose password and profile are managed by the directory', async () => {
    await slapd.addPerson('confirmer')
    const id = await addServer({ name: 'Confirm' })
    const { token, user } = await loggedIn(id, 'confirmer')
    const wrong = { password: 'Wrong horse 1' }
    expect((await server.refused(api.auth.confirm, { body: wrong }, { token })).status).toBe(400)
    await server.must(api.auth.confirm, { body: { password: LDAP_PASSWORD } }, { token })
    expect(
      await server.refused(
        api.users.update,
        { body: { id: user.id, email: 'a@b.org' } },
        { token: admin, admin: true },
      ),
    ).toMatchObject({ status: 400, fields: { email: 'This comes from the LDAP directory' } })
    const body = { id: user.id, password: 'Passw0rd!y' }
    expect(
      (await server.refused(api.users.changePassword, { body }, { token: admin, admin: true })).status,
    ).toBe(409)
    expect(
      (await server.refused(api.auth.login, { body: { username: 'confirmer', password: LDAP_PASSWORD } }))
        .status,
    ).toBe(401)
  })

  it('is refused for a server that is inactive or unknown', async () => {
    await slapd.addPerson('inactive')
    const id = await addServer({ name: 'Inactive', active: false })
    for (const one of [id, 'nosuchserver'])
      expect((await login(one, 'inactive')).json).toMatchObject({
        statusCode: 400,
        fields: { ldapServerId: 'This LDAP server is no longer available' },
      })
  })

  it('creates one account when first logins are concurrent', async () => {
    await slapd.addPerson('twice')
    const id = await addServer({ name: 'Twice' })
    const both = await Promise.all([loggedIn(id, 'twice'), loggedIn(id, 'twice'), loggedIn(id, 'twice')])
    expect(new Set(both.map(({ user }) => user.id)).size).toBe(1)
  })
})
