import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clusters } from '@flotilla/contract/clusters/clusters'
import type { LdapEntryRef } from '@flotilla/contract/ldap-entry'
import { auth } from '@flotilla/contract/people/auth'
import { ldapServers } from '@flotilla/contract/people/ldap-servers'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { LDAP_PASSWORD, startSlapd, type TestSlapd } from '../../../../test/support/services/slapd'

let server: TestApp
let slapd: TestSlapd
let admin: string
let owner: string
let serverId: string
beforeAll(async () => {
  ;[slapd, server] = await Promise.all([startSlapd(), testApp()])
  admin = (await server.person('siteadmin', ['admin'])).token
  owner = (await server.person('clusterowner', ['user'])).token
  serverId = (await server.must(ldapServers.create, { body: slapd.settings() }, { token: admin })).id
})
afterAll(async () => {
  await server.close()
  await slapd.close()
})

const makeCluster = async (name: string): Promise<string> => {
  const head = { host: 'head.example.org', username: 'alma' }
  const data = { manager: 'slurm' as const, transport: 'ssh' as const, head }
  return (await server.must(clusters.createLocal, { body: { name, data } }, { token: owner })).id
}
const login = async (username: string): Promise<string> =>
  (await server.must(auth.ldapLogin, { body: { username, password: LDAP_PASSWORD, ldapServerId: serverId } }))
    .token
const sees = async (token: string, id: string): Promise<boolean> =>
  (await server.answer(api.clusters.view, { id }, { token })).status === 200
const add = (id: string, collaborators: LdapEntryRef[], token = owner) =>
  server.must(clusters.addLdapCollaborators, { body: { id, collaborators } }, { token })
const addRefused = (id: string, collaborators: LdapEntryRef[], token = owner) =>
  server.refused(clusters.addLdapCollaborators, { body: { id, collaborators } }, { token })

it('finds people and groups of the directory, whatever was typed', async () => {
  const dn = await slapd.addPerson('searched', { cn: 'Barbara Liskov', sn: 'Liskov', givenName: 'Barbara' })
  const group = await slapd.addGroup('liskov fans', [dn])
  const search = (query: string) => server.must(ldapServers.search, { query: { query } }, { token: owner })
  expect(await search('liskov')).toEqual({
    entries: [
      { serverId, dn, kind: 'person', name: 'Barbara Liskov', detail: 'searched, searched@example.org' },
      { serverId, dn: group, kind: 'group', name: 'liskov fans', detail: '' },
    ],
    problems: [],
  })
  for (const query of ['**', '*)(uid=*', 'no one has this']) expect((await search(query)).entries).toEqual([])
  expect(
    (await server.refused(api.ldapServers.search, { query: { query: 'a' } }, { token: owner })).status,
  ).toBe(400)
})

it('shares a cluster with a person, even before their first login', async () => {
  const dn = await slapd.addPerson('colleague')
  await slapd.addPerson('outsider')
  const id = await makeCluster('Shared with a person')
  expect(await add(id, [{ serverId, dn: dn.toUpperCase() }])).toMatchObject({
    cluster: { id, ldapCollaborators: [{ serverId, dn, kind: 'person', name: 'Grace Hopper' }] },
  })
  const [colleague, outsider] = [await login('colleague'), await login('outsider')]
  expect(await sees(colleague, id)).toBe(true)
  expect(await sees(outsider, id)).toBe(false)
  // Only the owner can share it, and only with entries that the directory has.
  expect((await addRefused(id, [{ serverId, dn }], colleague)).status).toBe(403)
  expect((await addRefused(id, [{ serverId, dn }], outsider)).status).toBe(404)
  for (const unknown of [`uid=nobody,ou=people,${slapd.suffix}`, `cn=search,${slapd.suffix}`])
    expect(await addRefused(id, [{ serverId, dn: unknown }])).toMatchObject({
      status: 400,
      fields: { collaborators: expect.stringContaining('has no entry') },
    })

  const body = { id, collaborators: [{ serverId, dn }] }
  expect(await server.must(clusters.removeLdapCollaborators, { body }, { token: owner })).toMatchObject({
    cluster: { ldapCollaborators: [] },
  })
  expect(await sees(colleague, id)).toBe(false)
})

it('shares a cluster with the people in a group for as long as they are in it', async () => {
  const dn = await slapd.addPerson('member')
  const group = await slapd.addGroup('physics', [dn])
  const id = await makeCluster('Shared with a group')
  const member = await login('member')
  expect(await sees(member, id)).toBe(false)
  await add(id, [{ serverId, dn: group }])
  expect(await sees(member, id)).toBe(true)
  expect((await server.must(clusters.list, {}, { token: member })).map((one) => one.id)).toEqual([id])
  await slapd.setMembers(group, [])
  await server.app.sweep()
  expect(await sees(member, id)).toBe(false)
})

it('is saved with the cluster, and unchanged when it is not sent', async () => {
  const [first, second] = [await slapd.addPerson('firstsaved'), await slapd.addPerson('secondsaved')]
  const head = { host: 'head.example.org', username: 'alma' }
  const data = { manager: 'slurm' as const, transport: 'ssh' as const, head }
  const names = (entries: { dn: string }[]) => entries.map(({ dn }) => dn)
  const body = { name: 'Saved with people', data, ldapCollaborators: [{ serverId, dn: first }] }
  const made = await server.must(clusters.createLocal, { body }, { token: owner })
  expect(names(made.ldapCollaborators)).toEqual([first])
  const save = (more: object) =>
    server.must(
      clusters.updateLocal,
      { body: { id: made.id, name: 'Saved again', data, ...more } },
      { token: owner },
    )
  expect(names((await save({})).ldapCollaborators)).toEqual([first])
  const next = [...made.ldapCollaborators.slice(1), { serverId, dn: second, name: 'someone else' }]
  const changed = await save({ ldapCollaborators: next })
  expect(changed.ldapCollaborators).toEqual([{ serverId, dn: second, kind: 'person', name: 'Grace Hopper' }])
  const unknown = [{ serverId, dn: `uid=nobody,ou=people,${slapd.suffix}` }]
  const refused = await server.refused(
    api.clusters.updateLocal,
    { body: { id: made.id, name: 'Refused', data, ldapCollaborators: unknown } },
    { token: owner },
  )
  expect(refused).toMatchObject({
    status: 400,
    fields: { ldapCollaborators: expect.stringContaining('has no entry') },
  })
})

it('ends the sharing through a server that is deleted', async () => {
  const other = await server.must(
    ldapServers.create,
    { body: slapd.settings({ name: 'Other' }) },
    { token: admin },
  )
  const dn = await slapd.addPerson('temporary')
  const id = await makeCluster('Shared by another server')
  await add(id, [{ serverId: other.id, dn }])
  await server.must(ldapServers.remove, { id: other.id }, { token: admin })
  expect((await server.must(clusters.view, { id }, { token: owner })).ldapCollaborators).toEqual([])
})
