import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console } from '../../../test/support/console'

let server: Console
beforeAll(async () => {
  server = await Console.start()
})
afterAll(() => server.stop())

const setPrices = (perCoreHour: number | null, perGpuHour: number | null) =>
  server.must(api.settings.setLocalPrices, { body: { perCoreHour, perGpuHour } }, { token: server.admin })
const priceOf = async (id: string) => (await server.cluster(id)).price

it('a local cluster is priced by the hardware of its nodes and the prices that an admin set', async () => {
  const virtualNodes = { prefix: 'p', count: 3, cores: 2, gpus: 1 }
  const data = { manager: 'none', transport: 'local', virtualNodes }
  const id = await server.saved('Priced', data)
  await setPrices(0.1, 0.5)
  // Nothing is known of its nodes yet.
  expect(await priceOf(id)).toBeNull()
  await server.act(id, 'deploy')
  await server.available(id)
  expect(await priceOf(id)).toMatchObject({
    perHour: 2.1,
    perMonth: 1533,
    source: 'set by an admin',
    unpriced: [],
    parts: [
      { what: 'cores', count: 6, perHour: 0.6 },
      { what: 'GPUs', count: 3, perHour: 1.5 },
    ],
  })
  const listed = await server.must(api.clusters.list, {}, { token: server.admin })
  expect(listed.find((one) => one.id === id)?.price).toEqual(await priceOf(id))

  await setPrices(0.1, null)
  expect(await priceOf(id)).toMatchObject({ perHour: 0.6, unpriced: ['GPUs'] })
  await setPrices(0, 0)
  expect(await priceOf(id)).toMatchObject({ perHour: 0, unpriced: [] })
  await setPrices(null, null)
  expect(await priceOf(id)).toMatchObject({ perHour: null, perMonth: null, unpriced: ['cores', 'GPUs'] })

  // The nodes are gone with it.
  await server.act(id, 'destroy')
  await server.settled(id)
  expect(await priceOf(id)).toBeNull()
})
