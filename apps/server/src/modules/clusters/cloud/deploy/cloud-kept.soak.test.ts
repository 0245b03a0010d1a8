import { api } from '@flotilla/contract/api'
import { randomInt } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { setFaults, type FaultName } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, reaches, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'

/** All that have separate disks. On Azure a kept disk reserves its name and its resource group. */
const providers = providerIds.filter((one) => one !== 'maas')

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated' } })
})
afterAll(() => server.stop())
const faults = (id: string, fault: FaultName, times = 1) =>
  setFaults(path.join(server.dataDir, 'simulated'), { [id]: { fault, times } })
const noFaults = () => setFaults(path.join(server.dataDir, 'simulated'), {})
beforeEach(noFaults)

/** The cloud's resources of this cluster. */
const left = async (provider: ProviderId, id: string) =>
  (await world(server, provider)).filter(({ clusterId }) => clusterId === id)
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).toSorted()
/** On GCP the machines' disks, which are made from an image, are volumes too. */
const dataDisks = async (provider: ProviderId, id: string) =>
  (await left(provider, id)).filter(({ kind, attributes }) => kind === 'volume' && !('image' in attributes))

/** A destroy that was to keep the disk and did not finish. */
const halfWay = {
  'is refused by the cloud': async (id: string) => {
    await faults(id, 'badCredential')
    await server.act(id, 'destroy', { keepDisks: ['data'] })
  },
  'loses its engine': async (id: string) => {
    await faults(id, 'crash')
    await server.act(id, 'destroy', { keepDisks: ['data'] })
  },
  'is canceled': async (id: string) => {
    // Plan and apply, so that neither finishes before the cancel arrives.
    await faults(id, 'slow', 2)
    await server.act(id, 'destroy', { keepDisks: ['data'] })
    await sleep(300)
    await server.must(api.lifecycle.cancel, { body: { id } }, { token: server.admin })
  },
} as const

describe.each(providers)('on %s', (provider) => {
  const running = async () => {
    const { id } = await makeCloudCluster(server, provider, {
      count: 1,
      data: { disks: [{ name: 'data', size: 50, type: '' }] },
    })
    await server.act(id, 'deploy')
    await reaches(server, id, 'available')
    const [disk] = await dataDisks(provider, id)
    if (!disk) throw new Error('there is no disk')
    return { id, disk: disk.id }
  }

  const ways = Object.entries(halfWay)
  describe.each(ways)('a destroy that keeps a disk and %s', (_, breaks) => {
    it('can be followed by a deploy with its own disk, and by a destroy that leaves the kept one', async () => {
      const { id, disk } = await running()
      await breaks(id)
      await reaches(server, id, 'failed')
      await noFaults()
      await server.act(id, 'deploy')
      await reaches(server, id, 'available')
      const now = await dataDisks(provider, id)
      expect(idsOf(now)).toContain(disk)
      expect(now).toHaveLength(2)
      await server.act(id, 'destroy')
      await reaches(server, id, 'destroyed')
      const rest = await left(provider, id)
      expect(rest.filter(({ kind }) => kind === 'volume').map((one) => one.id)).toEqual([disk])
      expect(rest).toHaveLength(provider === 'azure' ? 2 : 1)
    })

    it('can be followed by a destroy that keeps nothing and leaves nothing', async () => {
      const { id } = await running()
      await breaks(id)
      await reaches(server, id, 'failed')
      await noFaults()
      await server.act(id, 'destroy')
      await reaches(server, id, 'destroyed')
      expect(await left(provider, id)).toEqual([])
    })
  })

  // While it is kept, and while a new deployment exists next to it; the console restarts each time.
  it.each([2])(
    'kill -9, %i times, leaves only the disk',
    async () => {
      const { id, disk } = await running()
      const killed = async () => {
        await sleep(randomInt(20, 1500))
        await server.kill()
        await server.run()
        return server.settled(id)
      }
      await faults(id, 'crash')
      await server.act(id, 'destroy', { keepDisks: ['data'] })
      await killed()
      await noFaults()
      await server.act(id, 'deploy')
      await killed()
      await reaches(server, id, 'available')
      await server.act(id, 'destroy')
      await reaches(server, id, 'destroyed')
      const rest = await left(provider, id)
      expect(rest.filter(({ kind }) => kind === 'volume').map((one) => one.id)).toEqual([disk])
      expect(rest).toHaveLength(provider === 'azure' ? 2 : 1)
    },
    180_000,
  )
})
