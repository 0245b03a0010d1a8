import { afterAll, beforeAll, expect, it } from 'vitest'
import { messages } from '@flotilla/contract/messages'
import { Provider } from '@flotilla/contract/providers'
import * as z from 'zod/mini'
import { cloudProviders } from '../src/providers/registry'
import { testApp, type TestApp } from './app'
import { startMoto, type Moto } from './moto'

const region = 'us-east-2'
let moto: Moto
let server: TestApp
let token: string
beforeAll(async () => {
  moto = await startMoto()
  server = await testApp(
    {},
    {
      clouds: {
        driver: (provider, credential, where) =>
          cloudProviders[provider].driver({ credential, region: where, endpoint: moto.url }),
      },
    },
  )
  token = (await server.person('chief', ['admin'])).token
})
afterAll(async () => {
  await server?.close()
  await moto?.close()
})

const get = async (url: string) => (await server.call('GET', url, { as: token })).json
const sizes = async () =>
  z
    .array(Provider)
    .parse(await get('/api/providers'))
    .find(({ id }) => id === 'aws')?.instanceSizes ?? []
const prices = () => get(`/api/providers/aws/prices?region=${region}`)

it('sizes of today come from AWS; prices stay those of the catalogue while AWS does not tell them', async () => {
  const made = await server.call('POST', '/api/credentials/', {
    as: token,
    body: {
      credentials: {
        name: 'aws',
        provider: 'aws',
        data: { access_key: 'AKIAEXAMPLE', secret_key: 'nobody' },
      },
    },
  })
  const { id } = made.json as { id: string }
  const sync = () =>
    server.call('POST', '/api/shapes/sync', { as: token, body: { credentialId: id, region } })
  const before = { sizes: await sizes(), prices: await prices() }

  expect((await sync()).json).toEqual({ success: true, message: messages.shapesSynced })
  const after = await sizes()
  expect(after.length).toBeGreaterThan(before.sizes.length)
  for (const { instance_id } of before.sizes)
    expect(after.some((size) => size.instance_id === instance_id)).toBe(true)
  expect(await prices()).toEqual(before.prices)
  expect(JSON.stringify(await get('/api/activities'))).toContain('prices of the catalogue')

  moto.priceList = [
    {
      product: { attributes: { instanceType: 't3.large' } },
      terms: {
        OnDemand: { one: { priceDimensions: { one: { unit: 'Hrs', pricePerUnit: { USD: '0.5' } } } } },
      },
    },
  ]
  expect((await sync()).status).toBe(200)
  expect(await prices()).toMatchObject({
    source: expect.stringContaining('price list'),
    date: new Date().toISOString().slice(0, 10),
    prices: { 't3.large': 0.5 },
  })
})
