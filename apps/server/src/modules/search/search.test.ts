import { api } from '@flotilla/contract/api'
import { NAV_SEARCH_MAX } from '@flotilla/contract/limits'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { insertCluster, insertSubmission } from '../../../test/support/app/rows'

let server: TestApp
let admin: { id: string; token: string }
let ada: { id: string; token: string; username: string }
let eve: { id: string; token: string }
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('keeper', ['admin'])
  ada = await server.person('adalove', ['user'])
  eve = await server.person('evelyn', ['user'])
})
afterAll(() => server.close())

const job = (as: { token: string }, name: string) =>
  server.must(api.jobs.create, { body: { name, data: { script: 'true' } } }, { token: as.token })

async function cluster(owner: { id: string }, name: string, more: Parameters<typeof insertCluster>[3] = {}) {
  const id = await insertCluster(server, owner, name, more)
  await server.db.kysely
    .insertInto('cluster_nodes')
    .values({ cluster_id: id, name: `${name}-n01`, data: '{}' })
    .execute()
}

const find = async (as: { token: string }, text: string) =>
  (await server.must(api.search.find, { query: { text } }, { token: as.token })).map(
    ({ kind, name, detail }) => [kind, name, detail].join(' ').trim(),
  )

describe('the search', () => {
  it('finds what the user may see of every kind, and nothing else', async () => {
    const { id } = await job(ada, 'comet tail')
    await cluster(ada, 'comet')
    await cluster(admin, 'comet-open', { for_everyone: true })
    await cluster(admin, 'comet-closed')
    const of = {
      open: ['cluster comet-open available', 'node comet-open-n01 comet-open'],
      ada: ['job comet tail', 'cluster comet available', 'node comet-n01 comet'],
      closed: ['cluster comet-closed available', 'node comet-closed-n01 comet-closed'],
    }
    expect((await find(eve, 'comet')).toSorted()).toEqual(of.open.toSorted())
    expect((await find(ada, 'COMET')).toSorted()).toEqual([...of.ada, ...of.open].toSorted())
    expect((await find(admin, 'comet')).toSorted()).toEqual(
      ['job comet tail adalove', ...of.ada.slice(1), ...of.open, ...of.closed].toSorted(),
    )
    expect(await find(ada, 'tail com')).toEqual(['job comet tail'])

    await insertSubmission(server, ada, {
      job_id: id,
      cluster_name: 'comet',
      native_id: '4711',
      state: 'running',
    })
    expect(await find(ada, '4711')).toEqual(['job comet tail'])
    expect(await find(eve, '4711')).toEqual([])
  })

  it('finds people by name, username and email, for admins only', async () => {
    expect(await find(admin, 'evelyn')).toContainEqual(expect.stringMatching(/^person .* evelyn$/))
    expect(await find(ada, 'evelyn')).toEqual([])
  })

  it('finds the apps that the user may start', async () => {
    const body = { name: 'Jupyter staff', script: 'exec notebook', allowedRoles: ['instructor' as const] }
    await server.must(api.apps.create, { body }, { token: admin.token })
    expect(await find(ada, 'jupyter')).toEqual(['app JupyterLab'])
    expect((await find(admin, 'JUPYTER')).toSorted()).toEqual(['app Jupyter staff', 'app JupyterLab'])
    expect(await find(ada, 'desktop'), 'it opens on a page of its own').toEqual([])
  })

  it('treats the input literally and limits the results', async () => {
    for (let n = 0; n < NAV_SEARCH_MAX + 2; n++) await job(eve, `sweep ${n}`)
    expect(await find(eve, 'sweep')).toHaveLength(NAV_SEARCH_MAX)
    for (const text of ['%', '_', '\\', "'; drop table jobs; --"]) expect(await find(eve, text)).toEqual([])
    const refused = (text: string, token?: string) =>
      server.refused(api.search.find, { query: { text } }, { token })
    expect(await refused(' ', ada.token)).toMatchObject({
      status: 400,
      fields: { text: 'Enter a search term' },
    })
    expect((await refused('x'.repeat(101), ada.token)).status).toBe(400)
    expect((await refused('sweep')).status).toBe(401)
  })
})
