import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayAccess, type Role } from '@flotilla/contract/access'
import { api } from '@flotilla/contract/api'
import { foundKinds } from '@flotilla/contract/site/search'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { stackPlaces } from '../../../test/support/console/stack'
import { awsCredential } from '../../../test/support/modules/cloud-row'
import { shared, type OwnedTable } from '../../db/owned'
import { visibleTo } from '../../db/visible'
import { viewerOf } from './sharing'

/** The table of each kind of thing, as which it is searched and listed. */
const tables = {
  job: 'jobs',
  cluster: 'clusters',
  stack: 'stacks',
  training: 'trainings',
  course: 'courses',
  credential: 'credentials',
} as const satisfies Record<string, OwnedTable>
type Kind = keyof typeof tables
// Border: `keys` loses the type of the keys.
const kinds = Object.keys(tables) as Kind[]
const sharedKinds = ['cluster', 'stack', 'training', 'course', 'credential'] as const

type Person = { id: string; token: string; role: Role[]; admin?: boolean }
let server: TestApp
let admin: Person
const person = async (name: string, ...role: Role[]): Promise<Person> => ({
  ...(await server.person(name, role)),
  role,
})

/** A cluster of the admin with a node. */
async function addCluster(name: string, forEveryone = false): Promise<string> {
  const data = {
    manager: 'none',
    transport: 'local',
    virtualNodes: { prefix: 'v', count: 1, cores: 1 },
  } as const
  const body = { name, data, forEveryone }
  const { id } = await server.must(api.clusters.createLocal, { body }, { token: admin.token, admin: true })
  const node = { cluster_id: id, name: `${name} node`, data: '{}' }
  await server.db.kysely.insertInto('cluster_nodes').values(node).execute()
  return id
}

/** Creates one thing of each kind as an admin and transfers them to a user. */
async function oneOfEach(owner: Person, name: string): Promise<Record<Kind, string>> {
  const as = { token: admin.token }
  const credential = await awsCredential(server, admin.token, name)
  const stack = { name, provider: 'aws' as const, credential_id: credential, data: stackPlaces.aws }
  const job = { name, data: { script: 'true' } }
  const ids = {
    job: (await server.must(api.jobs.create, { body: job }, as)).id,
    cluster: await addCluster(name),
    stack: (await server.must(api.stacks.create, { body: stack, beside: {} }, as)).id,
    training: (await server.must(api.trainings.create, { body: { name, data: { seats: 1 } } }, as)).id,
    course: (await server.must(api.courses.create, { body: { name } }, as)).id,
    credential,
  }
  for (const kind of kinds)
    await server.db.kysely
      .updateTable(tables[kind])
      .set({ owner_id: owner.id })
      .where('id', '=', ids[kind])
      .execute()
  return ids
}

const namesOf = (things: { name: string }[]) => things.map(({ name }) => name).toSorted()

/** The names in the list of each kind that has a page for this user. */
async function listed({ token, admin: scoped, role }: Person): Promise<Record<string, string[]>> {
  const open = kinds.filter((kind) => mayAccess(foundKinds[kind], role))
  const entries = open.map(
    async (kind) =>
      [kind, namesOf(await server.must(api[tables[kind]].list, {}, { token, admin: scoped }))] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}
/** The names that the search finds, in the same form. */
async function found({ token, admin: scoped, role }: Person): Promise<Record<string, string[]>> {
  const all = await server.must(api.search.find, { query: { text: 'comet' } }, { token, admin: scoped })
  const named = (wanted: string) => namesOf(all.filter(({ kind }) => kind === wanted))
  const open = kinds.filter((kind) => mayAccess(foundKinds[kind], role))
  // The nodes found must be those of the clusters found.
  expect(named('node')).toEqual(
    named('cluster')
      .map((name) => `${name} node`)
      .toSorted(),
  )
  return Object.fromEntries(open.map((kind) => [kind, named(kind)]))
}
/** What the search finds, after checking that the lists contain the same. */
async function seen(by: Person) {
  const names = await found(by)
  expect(names).toEqual(await listed(by))
  return names
}

/** The number of clusters on the dashboard. */
const counted = async ({ token }: Person) =>
  Object.values((await server.must(api.dashboard.view, {}, { token })).clusters).reduce((a, b) => a + b, 0)

let owner: Person
/** The things of the owner. */
let comets: Record<Kind, string>
beforeAll(async () => {
  server = await testApp({ CLOUD: 'simulated' })
  admin = await person('keeper', 'admin')
  owner = await person('owner', 'instructor', 'user')
  comets = await oneOfEach(owner, 'comet')
  await oneOfEach(admin, 'comet of the admin')
  await addCluster('comet for everyone', true)
})
afterAll(() => server.close())

const shareWith = ({ id }: Person, kind: (typeof sharedKinds)[number]) =>
  server.db.transaction((tx) => shared(tables[kind]).setCollaborators(tx, comets[kind], [id]))
const everywhere = (names: string[]) => ({
  job: names,
  cluster: [...names, 'comet for everyone'].toSorted(),
  stack: names,
  training: names,
  course: names,
})
const nothing = everywhere([])

describe('the search finds what the lists contain, and the dashboard counts own clusters, for', () => {
  it('an owner', async () => {
    expect(await seen(owner)).toEqual(everywhere(['comet']))
    expect(await counted(owner)).toBe(1)
  })

  it('a collaborator', async () => {
    const friend = await person('friend', 'instructor', 'user')
    expect(await seen(friend)).toEqual(nothing)
    expect(await counted(friend)).toBe(0)
    for (const kind of sharedKinds) await shareWith(friend, kind)
    // Jobs cannot be shared.
    expect(await seen(friend)).toEqual({ ...everywhere(['comet']), job: [] })
    expect(await counted(friend)).toBe(1)
  })

  it('a member of a directory group that a cluster is shared with', async () => {
    const member = await person('member', 'instructor', 'user')
    const { kysely } = server.db
    const directory = { id: 'campus', name: 'Campus', active: false, settings: '{}', created_at: new Date() }
    await kysely.insertInto('ldap_servers').values(directory).execute()
    const entry = (dn: string) => ({ server_id: directory.id, dn, dn_key: dn })
    const account = { ...entry('uid=member'), user_id: member.id, login: 'member', groups: ['cn=physics'] }
    await kysely.insertInto('ldap_accounts').values(account).execute()
    const group = { ...entry('cn=physics'), kind: 'group' as const, name: 'physics' }
    await kysely
      .insertInto('cluster_ldap_collaborators')
      .values({ ...group, cluster_id: comets.cluster })
      .execute()
    expect(await seen(member)).toEqual({ ...nothing, cluster: ['comet', 'comet for everyone'] })
    expect(await counted(member)).toBe(1)
  })

  it('an instructor with a seat in another workshop', async () => {
    const learner = await person('learner', 'instructor', 'user', 'participant')
    await server.db.kysely
      .updateTable('training_seats')
      .set({ user_id: learner.id, cluster_id: comets.cluster })
      .where('training_id', '=', comets.training)
      .execute()
    expect(await seen(learner)).toEqual({
      ...nothing,
      training: ['comet'],
      cluster: ['comet', 'comet for everyone'],
    })
    expect(await counted(learner)).toBe(0)
  })

  it('an admin, with and without admin scope', async () => {
    const all = {
      ...everywhere(['comet', 'comet of the admin']),
      credential: ['comet', 'comet of the admin'],
    }
    expect(await seen(admin)).toEqual(all)
    expect(await seen({ ...admin, admin: true })).toEqual(all)
    expect(await counted(admin)).toBe(3)
  })
})

it('participants see the workshop and cluster of their seat, but no credentials, and cannot search', async () => {
  const student = await person('student', 'participant')
  await server.db.kysely
    .updateTable('training_seats')
    .set({ user_id: student.id, cluster_id: comets.cluster })
    .where('training_id', '=', comets.training)
    .execute()
  const { token } = student
  expect(namesOf(await server.must(api.trainings.list, {}, { token }))).toEqual(['comet'])
  expect(namesOf(await server.must(api.clusters.list, {}, { token }))).toEqual(['comet'])
  expect((await server.refused(api.search.find, { query: { text: 'comet' } }, { token })).status).toBe(403)
  await shareWith(student, 'credential')
  const credentials = server.db.kysely.selectFrom('credentials').select('name')
  expect(await credentials.where(visibleTo('credentials', viewerOf(student))).execute()).toEqual([])
})
