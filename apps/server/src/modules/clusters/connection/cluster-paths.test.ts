import { api } from '@flotilla/contract/api'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import { migrate } from '../../../db/migrate'
import { migrations } from '../../../db/migrations/index'
import { connectionSettings } from './settings'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { rowOf } from '../../../../test/support/modules/cloud-row'
import { databaseOfTest } from '../../../../test/support/database/database'

type Person = { id: string; token: string; username: string }
type Data = Sent<typeof api.clusters.createLocal>['body']['data']

let server: TestApp
let admin: Person
let ada: Person
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('boss', ['admin', 'user'])
  ada = await server.person('adalove', ['user'])
})
afterAll(() => server.close())

const dataOf = (head: object = {}, slurmConf?: string) => ({
  manager: 'slurm' as const,
  transport: 'ssh' as const,
  head: { host: 'head.example.org', username: 'keeper', ...head },
  ...(slurmConf !== undefined && { slurmConf }),
})
const evil = { binFolder: '/tmp/evil' }
const CONF = '/tmp/evil.conf'
const scoped = ({ token }: { token: string }) => ({ token, admin: true })
const create = async (as: Person, data: Data): Promise<string> =>
  (await server.must(api.clusters.createLocal, { body: { name: 'Far', data } }, scoped(as))).id
const save = (as: { token: string }, id: string, data: Data) =>
  server.answer(api.clusters.updateLocal, { body: { id, name: 'Far', data } }, scoped(as))
const pathsOf = async (id: string) => {
  const cluster = await server.must(api.clusters.view, { id }, { token: admin.token })
  const { head, slurmConf, pathsConfirmed } = (cluster as LocalCluster).data
  return { binFolder: head?.binFolder, slurmConf, pathsConfirmed }
}
/** The paths that commands actually use. */
const usedPathsOf = async (id: string) => {
  const { head, slurmConf } = connectionSettings(await rowOf(server, id))
  return { binFolder: head?.binFolder, slurmConf }
}

describe('paths that take precedence for everyone', () => {
  it('cannot be set with an admin’s access token', async () => {
    const id = await create(admin, dataOf())
    const body = { name: 'nightly', scope: 'all' as const }
    const { secret } = await server.must(api.accessTokens.create, { body }, scoped(admin))
    const { status, json } = await save({ token: secret }, id, dataOf(evil))
    expect(status).toBe(403)
    expect(json.fields).toHaveProperty(['data.head.binFolder'])
    expect((await save({ token: secret }, id, dataOf())).status).toBe(200)
  })

  it.each([
    ['binFolder', 'data.head.binFolder', dataOf(evil)],
    ['slurmConf', 'data.slurmConf', dataOf({}, CONF)],
  ])('can only be set by admins: %s', async (_name, field, data) => {
    const id = await create(ada, dataOf())
    const body = { name: 'Far', data }
    const attempts = [
      server.refused(api.clusters.createLocal, { body }, scoped(ada)),
      server.refused(api.clusters.test, { body }, scoped(ada)),
      server.refused(api.clusters.test, { body, beside: { id } }, scoped(ada)),
      server.refused(api.clusters.updateLocal, { body: { ...body, id } }, scoped(ada)),
    ]
    for (const { status, fields } of await Promise.all(attempts)) {
      expect(status).toBe(403)
      expect(fields).toEqual({ [field]: expect.stringContaining('Only admins can set this') })
    }
    expect(await usedPathsOf(id)).toEqual({ binFolder: '', slurmConf: '' })
    expect((await save(admin, id, data)).status).toBe(200)
    expect(await usedPathsOf(id)).toEqual(await pathsOf(id).then(({ pathsConfirmed: _, ...paths }) => paths))
  })

  it('stay as the admin set them when the owner edits other fields or the cluster is transferred', async () => {
    const id = await create(ada, dataOf())
    await save(admin, id, dataOf({ binFolder: '/opt/slurm/bin' }, '/etc/site.conf'))
    const set = { binFolder: '/opt/slurm/bin', slurmConf: '/etc/site.conf', pathsConfirmed: true }
    const others = { port: 2022, host: 'other.example.org' }
    for (const data of [dataOf(others), dataOf({ ...others, binFolder: set.binFolder }, set.slurmConf)]) {
      expect((await save(ada, id, data)).status).toBe(200)
      expect(await pathsOf(id)).toEqual(set)
    }
    const heir = await server.person('heiress', ['user'])
    const owned = { id: ada.id, newOwner: heir.id }
    await server.must(api.users.remove, { body: owned }, scoped(admin))
    expect(await pathsOf(id)).toEqual(set)
    expect((await save(heir, id, dataOf(evil))).status).toBe(403)
  })

  it('set earlier by an ordinary owner are not used until an admin saves them', async () => {
    const owner = await server.person('earlier', ['user'])
    const id = await create(owner, dataOf())
    const old = JSON.stringify({ ...((await rowOf(server, id)).data as object), slurmConf: CONF })
    await sql`update clusters set data = ${old}::jsonb where id = ${id}`.execute(server.db.kysely)
    expect(await pathsOf(id)).toMatchObject({ slurmConf: CONF, pathsConfirmed: false })
    expect(await usedPathsOf(id)).toMatchObject({ slurmConf: '' })
    // Nothing that the owner saves confirms the paths.
    for (const data of [dataOf(), dataOf({}, CONF)]) expect((await save(owner, id, data)).status).toBe(200)
    expect(await usedPathsOf(id)).toMatchObject({ slurmConf: '' })
    expect((await save(admin, id, dataOf({}, CONF))).status).toBe(200)
    expect(await pathsOf(id)).toMatchObject({ slurmConf: CONF, pathsConfirmed: true })
    expect(await usedPathsOf(id)).toMatchObject({ slurmConf: CONF })
  })
})

it('the migration trusts only what admins saved', async () => {
  const db = await databaseOfTest({ bare: true })
  const before = migrations.findIndex(({ name }) => name === 'cluster-trust')
  await migrate(db, migrations.slice(0, before))
  await sql`insert into users (id, username, first_name, last_name, email, role, verified, created_at)
    values ('boss', 'boss', '', '', 'boss@example.org', '{admin,user}', true, now()),
           ('ada', 'ada', '', '', 'ada@example.org', '{user}', true, now())`.execute(db.kysely)
  const local = { manager: 'slurm', transport: 'local', slurmConf: CONF }
  for (const [id, owner, data] of [
    ['admins', 'boss', dataOf(evil, CONF)],
    ['hers', 'ada', dataOf(evil, CONF)],
    ['inherited', 'ada', local],
  ] as const)
    await sql`insert into clusters (id, owner_id, name, description, provider, state, state_since, data, created_at)
      values (${id}, ${owner}, ${id}, '', 'local', 'available', now(), ${JSON.stringify(data)}::jsonb, now())`.execute(
      db.kysely,
    )
  await sql`insert into cluster_collaborators values ('hers', 'boss')`.execute(db.kysely)
  await migrate(db, migrations)
  const { rows } =
    await sql`select id, paths_confirmed, private_address_allowed from clusters order by id`.execute(
      db.kysely,
    )
  expect(rows).toEqual([
    { id: 'admins', paths_confirmed: true, private_address_allowed: true },
    { id: 'hers', paths_confirmed: false, private_address_allowed: false },
    { id: 'inherited', paths_confirmed: true, private_address_allowed: false },
  ])
  expect((await sql`select from cluster_acceptances`.execute(db.kysely)).rows).toEqual([])
})
