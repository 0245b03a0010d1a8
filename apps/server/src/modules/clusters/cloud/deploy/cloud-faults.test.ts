import { api } from '@flotilla/contract/api'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { setFaults, type FaultName } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, reaches, world } from '../../../../../test/support/cloud'
import { Console } from '../../../../../test/support/console'

/** `npm run soak` takes all five. */
const providers = process.env.FLOTILLA_PROVIDERS === 'all' ? providerIds : (['aws'] as const)

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.02' } })
})
afterAll(() => server.stop())
const faults = (id: string, fault: FaultName, times = 1) =>
  setFaults(path.join(server.dataDir, 'simulated'), { [id]: { fault, times } })
beforeEach(() => setFaults(path.join(server.dataDir, 'simulated'), {}))

describe.each(providers)('on %s', (provider) => {
  it.each([
    ['quota', /quota|limit/i],
    ['badCredential', /credential/i],
    ['bootTimeout', /took too long/i],
  ] as const)('%s: the cluster says why, and Deploy again completes it', async (fault, reason) => {
    const { id } = await makeCloudCluster(server, provider, { count: 1 })
    await faults(id, fault)
    await server.act(id, 'deploy')
    const failed = await reaches(server, id, 'failed')
    expect(failed.info.cause).toMatch(reason)
    // Its plan was carried out in part, and is no longer true.
    expect(failed).toMatchObject({ hasPlan: false })
    // What was created so far is listed, at an unknown price rather than none.
    const exists = (await left(provider, id)).filter(({ part }) => !part).map((one) => one.id)
    const listed = (await resources(id)).map((one) => one.id)
    expect(exists.filter((one) => !listed.includes(one))).toEqual([])
    if (fault === 'bootTimeout') expect(listed).not.toEqual([])
    await server.act(id, 'deploy')
    await reaches(server, id, 'available')
    await server.act(id, 'destroy')
    await reaches(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })

  it('capacity: each retry is shown, and the final error suggests other sizes and zones', async () => {
    const { id, data } = await makeCloudCluster(server, provider, { count: 1 })
    const size = data.node.group[0]?.instance_id || 'machines of this kind'
    // The third try finds one.
    await faults(id, 'capacity', 2)
    await server.act(id, 'deploy')
    await reaches(server, id, 'available')
    const log = (await server.must(api.clusters.logs, { id, type: 'deploy' }, { token: server.admin })).map(
      ({ text }) => text,
    )
    const tries = log.filter((text) => text.includes(`has no capacity for ${size}`))
    expect(tries.map((text) => /, try (\d) of 4 in /.exec(text)?.[1])).toEqual(['2', '3'])
    // The provider's own retries, which no one sees, are few.
    if (provider === 'aws') expect(log.join('\n')).toContain('exceeded maximum number of attempts, 6,')
    await server.act(id, 'destroy')
    await reaches(server, id, 'destroyed')

    await faults(id, 'capacity', 4)
    await server.act(id, 'deploy')
    const failed = await reaches(server, id, 'failed')
    expect(failed.info.cause).toContain(`has no capacity for ${size}`)
    expect(failed.info.cause).toContain('Try again later, or choose another size')
    if (provider === 'aws')
      expect(failed.info.cause).toMatch(/such as \S+ or .*To use another zone \(us-east-1b, /s)
    await server.act(id, 'deploy')
    await reaches(server, id, 'available')
    await server.act(id, 'destroy')
    await reaches(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })

  it('a node that someone removed is found by a plan, and Apply brings it back', async () => {
    const { id } = await makeCloudCluster(server, provider, { count: 1 })
    await server.act(id, 'deploy')
    await reaches(server, id, 'available')
    await faults(id, 'drift')
    await server.act(id, 'deploy', { onlyplan: true })
    expect(await reaches(server, id, 'available')).toMatchObject({ edited: false })
    expect(CloudCluster.parse(await server.cluster(id)).drift).toBeGreaterThan(0)
    await server.act(id, 'deploy')
    const { machines, drift } = await reaches(server, id, 'available')
    expect(drift).toBe(0)
    const made = (await left(provider, id)).filter(({ kind }) => kind === 'machine')
    expect(made.length).toBe(machines.length)
    await server.act(id, 'destroy')
    await reaches(server, id, 'destroyed')
  })

  it('an engine that dies loses nothing: it restarts by itself', async () => {
    const { id } = await makeCloudCluster(server, provider, { count: 1 })
    await faults(id, 'crash')
    await server.act(id, 'deploy')
    const { machines } = await reaches(server, id, 'available')
    const made = (await left(provider, id)).filter(({ kind }) => kind === 'machine')
    expect(made.length).toBe(machines.length)
    await server.act(id, 'destroy')
    await reaches(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })

  it('resources that are left in the cloud are named, and a forced destroy removes them', async () => {
    const { id } = await makeCloudCluster(server, provider, { count: 1, data: disk(provider) })
    await server.act(id, 'deploy')
    await reaches(server, id, 'available')
    await faults(id, 'leakedVolume')
    await server.act(id, 'destroy')
    const kept = await server.settled(id)
    // A cloud whose machines come with their disks has none to leak.
    if (provider !== 'maas') {
      expect(kept.info).toMatchObject({
        state: 'failed',
        cause: expect.stringContaining('still in the cloud'),
        failedAction: 'destroy',
      })
      // Removed machines are not shown; the disk that is left is, with its price alone.
      expect(kept).toMatchObject({ machines: [], nodes: { total: 0 } })
      expect(kept.price?.parts.map(({ what }) => what)).toEqual(['disk data, 50 GB'])
      expect(await resources(id)).toMatchObject([{ kind: 'volume', sizeGb: 50 }])
      await server.act(id, 'destroy', { resetingState: true })
    }
    await reaches(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })
})

/** What the page lists. */
const resources = (id: string) => server.must(api.lifecycle.resources, { id }, { token: server.admin })

/** The cloud's resources of this cluster. */
const left = async (provider: ProviderId, id: string) =>
  (await world(server, provider)).filter(({ clusterId }) => clusterId === id)

const disk = (provider: string) =>
  provider === 'maas' ? {} : { disks: [{ name: 'data', size: 50, type: '' }] }
