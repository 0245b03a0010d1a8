import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { messages } from '@flotilla/contract/messages'
import { cloudProviders } from '../../providers/registry'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { startMoto, type Moto } from '../../../test/support/clouds/moto'
import { priced, pricedMachine } from '../../../test/support/clouds/moto-extension'

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

const sizes = async () =>
  (await server.must(api.providers.list, {}, { token })).find(({ id }) => id === 'aws')?.instanceSizes ?? []
const prices = () => server.must(api.providers.prices, { provider: 'aws', query: { region } }, { token })

it('current sizes come from AWS; prices stay those of the catalog while AWS reports none', async () => {
  const { id } = await server.must(
    api.credentials.create,
    {
      body: {
        name: 'aws',
        provider: 'aws',
        data: { access_key: 'AKIAEXAMPLE', secret_key: 'nobody' },
      },
    },
    { token },
  )
  const sync = () => server.must(api.providers.sync, { body: { credentialId: id, region } }, { token })
  const before = { sizes: await sizes(), prices: await prices() }

  expect(await sync()).toEqual({ success: true, message: messages.shapesSynced })
  const after = await sizes()
  expect(after.length).toBeGreaterThan(before.sizes.length)
  for (const { instance_id } of before.sizes)
    expect(after.some((size) => size.instance_id === instance_id)).toBe(true)
  expect(await prices()).toEqual(before.prices)
  const trail = await server.must(api.activities.list, {}, { token })
  expect(JSON.stringify(trail)).toContain('catalog prices')

  const disk = (usagetype: string, volumeApiName: string, unit: string, USD: string, regionCode = region) =>
    priced({ productFamily: 'Storage', attributes: { usagetype, volumeApiName, regionCode } }, unit, USD)
  moto.priceList = [
    pricedMachine('t3.large', region, '0.5'),
    pricedMachine('t3.large', 'eu-west-1', '9'),
    disk('USE2-EBS:VolumeUsage.gp3', 'gp3', 'GB-Mo', '0.0800000000'),
    disk('USE2-EBS:VolumeUsage.gp3', 'gp3', 'GB-Mo', '9', 'eu-west-1'),
    // io2 is also charged for its IOPS, so its size alone does not determine the price.
    disk('USE2-EBS:VolumeUsage.io2', 'io2', 'GB-Mo', '0.125'),
    disk('USE2-EBS:VolumeP-IOPS.gp3', 'gp3', 'IOPS-Mo', '7'),
    priced(
      {
        productFamily: 'Fast Snapshot Restore',
        attributes: { usagetype: 'USE2-EBS:FastSnapshotRestore', regionCode: region },
      },
      'hours',
      '0.7500000000',
    ),
  ]
  await sync()
  expect(await prices()).toMatchObject({
    source: expect.stringContaining('price list'),
    date: new Date().toISOString().slice(0, 10),
    prices: { 't3.large': 0.5 },
    fastRestore: 0.75,
  })
  // The price is 0.5 for the head node, and 0.08 a month for each of 730 GB.
  const cluster = {
    name: 'Price',
    provider: 'aws' as const,
    credential_id: id,
    data: {
      network: { region_id: region },
      server: { instance_id: 't3.large', volume_size: 0 },
      disks: [
        { name: 'data', size: 365, type: 'gp3' },
        { name: 'usual', size: 365, type: '' },
        { name: 'dear', size: 100, type: 'io2' },
      ],
    },
  }
  const reply = await server.must(api.lifecycle.price, { body: cluster }, { token })
  expect(reply).toMatchObject({
    perHour: 0.58,
    unpriced: expect.arrayContaining(['disk dear, 100 GB']),
    source: expect.stringContaining('price list'),
  })
})
