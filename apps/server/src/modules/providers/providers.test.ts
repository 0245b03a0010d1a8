import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { messages } from '@flotilla/contract/messages'
import type { Clouds } from '../clouds/clouds'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { driverWith } from '../../../test/support/clouds/cloud-driver'

type Person = { id: string; token: string }
type Sizes = NonNullable<Awaited<ReturnType<Clouds['driver']>>['sizes']>
let answer: Sizes
let requests: Parameters<Clouds['driver']>[]
const clouds: Partial<Clouds> = {
  driver: async (...request) => {
    requests.push(request)
    return driverWith({ sizes: () => answer() })
  },
}

let server: TestApp
let admin: Person
let user: Person
let credential: string
beforeAll(async () => {
  server = await testApp({}, { clouds })
  admin = await server.person('chief', ['admin'])
  user = await server.person('adalove', ['user'])
  credential = await add('aws', { access_key: 'AKIA', secret_key: 'hidden-secret' })
})
afterAll(() => server.close())
beforeEach(() => {
  requests = []
  answer = async () => ({
    sizes: [
      { name: 'new.large', instance_id: 'new.large', cores: 192, memory: 768 },
      { name: 't2.large', instance_id: 't2.large', cores: 2, memory: 8 },
    ],
    prices: { 'new.large': 9.5, 't2.large': 0.1234 },
    source: 'AWS price list',
  })
})

async function add(provider: ProviderId, data: Record<string, string>): Promise<string> {
  const body = { name: `my ${provider}`, provider, data }
  return (await server.must(api.credentials.create, { body }, { token: admin.token })).id
}
const sizesHash = (as = admin.token) => server.must(api.providers.sizesHash, {}, { token: as })
const prices = (provider: ProviderId, region: string, as = admin.token) =>
  server.must(api.providers.prices, { provider, query: { region } }, { token: as })
const list = (as = admin.token) => server.must(api.providers.list, {}, { token: as })
const named = async (id: string, as = admin.token) => (await list(as)).find((one) => one.id === id)
const sync = (body: Sent<typeof api.providers.sync>['body'], token = admin.token, scope = true) =>
  server.answer(api.providers.sync, { body }, { token, admin: scope })

describe('the providers', () => {
  it('are the five, with their fields and sizes and where these come from', async () => {
    const found = await list(user.token)
    expect(found.map(({ id }) => id).toSorted()).toEqual([...providerIds].toSorted())
    for (const { id, catalog, regions, instanceSizes } of found)
      if (id === 'maas')
        expect({ catalog, regions, instanceSizes }).toEqual({
          catalog: null,
          regions: [],
          instanceSizes: [],
        })
      else expect(catalog).toMatchObject({ source: expect.any(String), date: expect.stringMatching(/^20/) })
  })

  it('are those that are offered to the person, or else to the site', async () => {
    const ada = await server.person('limited', ['user'])
    await server.db.kysely
      .updateTable('users')
      .set({ providers: ['gcp', 'maas'] })
      .where('id', '=', ada.id)
      .execute()
    expect((await list(ada.token)).map(({ id }) => id)).toEqual(['gcp', 'maas'])
    await assets('config.json', { providers: ['aws'] })
    expect((await list(user.token)).map(({ id }) => id)).toEqual(['aws'])
    // Without a config.json, its last good values are kept.
    await assets('config.json', {})
    expect((await list(user.token)).map(({ id }) => id).toSorted()).toEqual([...providerIds].toSorted())
  })

  it('have their regions and sizes replaced by the operator’s file', async () => {
    const mine = { name: 'mine', instance_id: 'our.special', cores: 96, gpus: 2 }
    await assets('providers.json', {
      azure: { instanceSizes: [mine] },
      gcp: { regions: [{ name: 'Here', region_id: 'us-west1' }] },
    })
    expect(await named('azure')).toMatchObject({ instanceSizes: [mine], regions: expect.any(Array) })
    expect((await named('azure'))?.regions.length).toBeGreaterThan(5)
    expect((await named('azure'))?.catalog?.source).toContain('assets/providers.json')
    expect((await named('gcp'))?.regions).toEqual([{ name: 'Here', region_id: 'us-west1' }])
    expect(await sizesHash()).toMatchObject({
      'our.special': { cores: 96, gpus: 2 },
    })
    await noAssets()
    expect((await named('azure'))?.instanceSizes.length).toBeGreaterThan(100)
    expect(await sizesHash()).not.toHaveProperty('our.special')
  })

  it('reject an unknown size at its field, and accept what the operator’s file adds', async () => {
    const clusterOf = (head: string, node: string) => {
      return {
        name: 'Sizes',
        provider: 'aws' as const,
        credential_id: credential,
        data: {
          manager: 'slurm' as const,
          network: { region_id: 'us-east-1' },
          server: { instance_id: head },
          node: {
            group: [
              { count: 1, instance_id: 't2.large' },
              { count: 1, instance_id: node },
            ],
          },
        },
      }
    }
    const as = { token: admin.token }
    const unknown = clusterOf('nosuch.size', 'nosuch.other')
    expect(await server.refused(api.clusters.create, { body: unknown }, as)).toMatchObject({
      status: 400,
      fields: {
        'data.server.instance_id': expect.stringContaining('No size nosuch.size'),
        'data.node.group.1.instance_id': expect.stringContaining('No size nosuch.other'),
      },
    })
    const offered = ['nosuch.size', 't2.large'].map((id) => ({ name: id, instance_id: id, cores: 2 }))
    await assets('providers.json', { aws: { instanceSizes: offered } })
    const body = clusterOf('nosuch.size', 't2.large')
    const { id } = await server.must(api.clusters.create, { body }, as)
    await noAssets()
    // A cluster keeps the size that it has: the list changed, not the cluster.
    await server.must(api.clusters.update, { body: { ...body, id, name: 'Renamed' } }, as)
    const more = { ...clusterOf('nosuch.size', 'nosuch.size'), id }
    expect(await server.refused(api.clusters.update, { body: more }, as)).toMatchObject({
      fields: { 'data.node.group.1.instance_id': expect.any(String) },
    })
  })

  it('have cores and GPUs by type', async () => {
    expect(await sizesHash(user.token)).toMatchObject({
      't2.large': { cores: 2, gpus: 0 },
      'a2-highgpu-2g': { cores: 24, gpus: 2 },
      'BM.GPU4.8': { cores: 128, gpus: 8 },
    })
  })

  it('list their systems and prices, and an unknown provider is not found', async () => {
    expect(
      await server.must(api.providers.osTypes, { provider: 'gcp' }, { token: user.token }),
    ).toContainEqual(expect.objectContaining({ id: 'centos-7', unavailable: expect.any(String) }))
    expect(await prices('azure', 'westus', user.token)).toMatchObject({
      date: '2025-09-11',
      prices: { Standard_DS3_v2: expect.any(Number) },
    })
    expect(await prices('azure', 'nowhere')).toMatchObject({ prices: {} })
    expect(await prices('maas', '')).toMatchObject({ prices: {} })
    const as = { token: user.token }
    expect((await server.refused(api.providers.osTypes, { provider: 'local' }, as)).status).toBe(404)
    const other = { provider: 'toString', query: { region: 'x' } }
    expect((await server.refused(api.providers.prices, other, as)).status).toBe(404)
  })
})

describe('a sync', () => {
  it('requires an AWS credential and a region, with the specification’s error texts', async () => {
    expect((await sync({})).json).toMatchObject({
      statusCode: 400,
      message: messages.syncNeedsCredential,
      fields: { credentialId: messages.syncNeedsCredential, region: messages.syncNeedsRegion },
    })
    expect((await sync({ credentialId: credential })).json).toMatchObject({
      statusCode: 400,
      message: messages.syncNeedsRegion,
    })
    const other = await add('maas', { api_url: 'http://127.0.0.1:1/MAAS', api_key: 'a:b:c' })
    expect((await sync({ credentialId: other, region: 'us-east-1' })).json).toMatchObject({
      statusCode: 400,
      message: messages.syncNeedsCredential,
    })
    expect((await sync({ credentialId: credential, region: 'evil.example.org/#' })).status).toBe(400)
    expect((await sync({ credentialId: 'nothing', region: 'us-east-1' })).status).toBe(404)
    expect((await sync({ credentialId: credential, region: 'us-east-1' }, user.token)).status).toBe(403)
    // An admin needs admin scope to use someone else's credential.
    const another = await server.person('otherchief', ['admin'])
    for (const credentialId of [credential, other])
      expect((await sync({ credentialId, region: 'us-east-1' }, another.token, false)).json).toMatchObject({
        statusCode: 403,
        code: 'admin_scope_needed',
      })
    expect((await sync({ credentialId: other, region: 'us-east-1' }, another.token)).status).toBe(400)
    expect(requests).toEqual([])
  })

  it('overrides the catalog in that region, with its own source and date', async () => {
    const before = (await named('aws'))?.instanceSizes.length ?? 0
    const { status, json } = await sync({ credentialId: credential, region: 'us-east-2' })
    expect({ status, json }).toEqual({ status: 200, json: { success: true, message: messages.shapesSynced } })
    expect(requests).toEqual([['aws', { access_key: 'AKIA', secret_key: 'hidden-secret' }, 'us-east-2']])
    const known = await prices('aws', 'us-east-2')
    expect(known).toEqual({
      fastRestore: null,
      source: 'AWS price list',
      date: new Date().toISOString().slice(0, 10),
      prices: { 'new.large': 9.5, 't2.large': 0.1234 },
    })
    expect(await prices('aws', 'us-east-1')).toMatchObject({ date: '2026-08-22' })
    expect((await named('aws'))?.instanceSizes).toHaveLength(before + 1)
    expect(await sizesHash()).toMatchObject({
      'new.large': { cores: 192, gpus: 0 },
    })
    expect(JSON.stringify(await server.must(api.activities.list, {}, { token: admin.token }))).toContain(
      'AWS shapes in us-east-2',
    )
  })

  it('of Azure or Oracle Cloud brings their current sizes, and keeps what else is known', async () => {
    const azure = await add('azure', {
      client_id: 'a',
      client_secret: 'b',
      subscription_id: 'c',
      tenant_id: 'd',
    })
    const model = (await named('azure'))?.instanceSizes.find(({ gpuModel }) => gpuModel)
    const size = { name: 'Standard_New1', instance_id: 'Standard_New1', cores: 4 }
    const same = { name: model?.name ?? '', instance_id: model?.instance_id ?? '', cores: 7 }
    answer = async () => ({ sizes: [size, same], prices: {}, source: 'Azure: resource SKUs' })
    expect(await sync({ credentialId: azure, region: 'us-east-1' })).toMatchObject({
      status: 400,
      json: { fields: { region: 'Azure has no such region' } },
    })
    expect((await sync({ credentialId: azure, region: 'swedencentral' })).status).toBe(200)
    expect(requests.at(-1)?.slice(0, 1)).toEqual(['azure'])
    expect((await named('azure'))?.instanceSizes).toEqual(
      expect.arrayContaining([size, expect.objectContaining({ ...same, gpuModel: model?.gpuModel })]),
    )
    // Without prices of its own, the catalog's still apply.
    expect(await prices('azure', 'eastus')).toMatchObject({ date: '2025-09-11' })
  })

  it('that fails keeps what was known and shows the reason, without the secret', async () => {
    answer = () => Promise.reject(Object.assign(new Error('no: hidden-secret'), { name: 'AccessDenied' }))
    const refused = await sync({ credentialId: credential, region: 'us-east-2' })
    expect(refused.status).toBe(409)
    expect(refused.text).not.toContain('hidden-secret')
    answer = async () => ({ sizes: [], prices: {}, source: 'AWS price list' })
    expect((await sync({ credentialId: credential, region: 'us-east-2' })).status).toBe(409)
    answer = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
    expect((await sync({ credentialId: credential, region: 'us-east-2' })).status).toBe(503)
    expect(await prices('aws', 'us-east-2')).toMatchObject({
      source: 'AWS price list',
    })
  })
})

it('local prices are set by admins and shown to everyone', async () => {
  const body = { perCoreHour: 0.02, perGpuHour: null }
  expect(await server.must(api.settings.site, {}, { token: user.token })).toMatchObject({
    localPrices: { perCoreHour: null, perGpuHour: null, setAt: null },
  })
  const both = { ...body, perGpuHour: 1.5 }
  const notTheirs = await server.refused(api.settings.setLocalPrices, { body: both }, { token: user.token })
  expect(notTheirs.status).toBe(403)
  const negative = { ...body, perCoreHour: -1 }
  expect(
    await server.refused(api.settings.setLocalPrices, { body: negative }, { token: admin.token }),
  ).toMatchObject({ status: 400, fields: { perCoreHour: expect.any(String) } })
  await server.must(api.settings.setLocalPrices, { body }, { token: admin.token })
  expect(await server.must(api.settings.site, {}, { token: user.token })).toMatchObject({
    localPrices: { perCoreHour: 0.02, perGpuHour: null, setAt: expect.any(Number) },
  })
})

async function assets(name: string, content: object): Promise<void> {
  const folder = path.join(server.dataDir, 'assets')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, name), JSON.stringify(content))
}
const noAssets = () => rm(path.join(server.dataDir, 'assets'), { recursive: true, force: true })
