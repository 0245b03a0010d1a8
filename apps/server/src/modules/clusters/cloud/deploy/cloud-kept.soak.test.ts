import { api } from '@flotilla/contract/api'
import { randomInt } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { setFaults, type FaultName } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, untilState, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'

/** All providers with separate disks. On Azure a kept disk reserves its name and its resource group. */
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

/** Destroys that are to keep the disk and do not finish. */
const unfinishedDestroys = {
  'is refused by the cloud': async (id: string) => {
    await faults(id, 'badCredential')
    await server.act(id, 'destroy', { keepDisks: ['data'] })
  },
  'loses its engine': async (id: string) => {
    await faults(id, 'crash')
    await server.act(id, 'destroy', { keepDisks: ['data'] })
  },
  'is canceled': async (id: string) => {
    // Both plan and apply are slow, so that neither finishes before the cancel arrives.
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
    await untilState(server, id, 'available')
    const [disk] = await dataDisks(provider, id)
    if (!disk) throw new Error('there is no disk')
    return { id, disk: disk.id }
  }

  describe.each(Object.entries(unfinishedDestroys))('a destroy that keeps a disk and %s', (_, breaks) => {
    it('can be followed by a deploy with a new disk, and by a destroy that leaves only the kept one', async () => {
      const { id, disk } = await running()
      await breaks(id)
      await untilState(server, id, 'failed')
      await noFaults()
      await server.act(id, 'deploy')
      await untilState(server, id, 'available')
      const now = await dataDisks(provider, id)
      expect(idsOf(now)).toContain(disk)
      expect(now).toHaveLength(2)
      await server.act(id, 'destroy')
      await untilState(server, id, 'destroyed')
      const rest = await left(provider, id)
      expect(rest.filter(({ kind }) => kind === 'volume').map((one) => one.id)).toEqual([disk])
      expect(rest).toHaveLength(provider === 'azure' ? 2 : 1)
    })

    it('can be followed by a destroy that keeps nothing and leaves nothing', async () => {
      const { id } = await running()
      await breaks(id)
      await untilState(server, id, 'failed')
      await noFaults()
      await server.act(id, 'destroy')
      await untilState(server, id, 'destroyed')
      expect(await left(provider, id)).toEqual([])
    })
  })

  // The console is killed and restarted both while the disk is kept and while a new deployment exists next to it.
  it.each([2])(
    'kill -9, %i times, leaves only the kept disk',
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
      await untilState(server, id, 'available')
      await server.act(id, 'destroy')
      await untilState(server, id, 'destroyed')
      const rest = await left(provider, id)
      expect(rest.filter(({ kind }) => kind === 'volume').map((one) => one.id)).toEqual([disk])
      expect(rest).toHaveLength(provider === 'azure' ? 2 : 1)
    },
    180_000,
  )
})
