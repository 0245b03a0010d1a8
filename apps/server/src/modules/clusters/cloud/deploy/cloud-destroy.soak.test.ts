import { api } from '@flotilla/contract/api'
import { ONLY_NEW_MACHINES } from '@flotilla/contract/clusters/cloud'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { providerIds } from '@flotilla/contract/site/config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCloudCluster, untilState, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'

/** The providers with separate disks; `npm run soak` tests all of them. */
const providers =
  process.env.FLOTILLA_PROVIDERS === 'all' ? providerIds.filter((one) => one !== 'maas') : (['aws'] as const)

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated' } })
})
afterAll(() => server.stop())

describe.each(providers)('a cluster on %s with a mounted disk', (provider) => {
  it('keeps the names of its resources when it is renamed, and one destroy leaves nothing behind', async () => {
    const { id } = await makeCloudCluster(server, provider, {
      count: 1,
      data: { disks: [{ name: 'data', size: 50, type: '' }] },
    })
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    const {
      name: before,
      description,
      credential_id,
      stack_id,
      info,
      data,
    } = CloudCluster.parse(await server.cluster(id))
    const made = { id, name: before, description, provider, credential_id: credential_id ?? '' }
    const cluster = { ...made, stack_id, info, data }
    const planned = async (edit: Partial<typeof cluster>) => {
      await server.must(api.clusters.update, { body: { ...cluster, ...edit } }, { token: server.admin })
      await server.act(id, 'deploy', { onlyplan: true })
      await untilState(server, id, 'available')
      return server.must(api.lifecycle.plan, { id }, { token: server.admin })
    }
    // Only later machines get another system, and the log says so.
    expect((await planned({ info: { ...info, 'os-type': 'ubuntu-24.04' } }))?.changes).toEqual([])
    const lines = await server.must(api.clusters.logs, { id, type: 'plan' }, { token: server.admin })
    expect(lines.at(-1)?.text).toBe(ONLY_NEW_MACHINES)

    const plan = await planned({ name: `Not ${before}` })
    expect(plan?.changes.filter(({ action }) => action !== 'change')).toEqual([])
    expect(plan?.counts).toMatchObject({ add: 0, replace: 0, destroy: 0 })

    await server.act(id, 'destroy')
    await untilState(server, id, 'destroyed')
    expect((await world(server, provider)).filter(({ clusterId }) => clusterId === id)).toEqual([])
  })
})

// existing-disks.test.ts covers how such a disk is checked when it is entered.
describe.each(providers.length > 1 ? providers : [])(
  'a disk that a cluster on %s left behind',
  (provider) => {
    it('is attached to another cluster, and stays when that cluster is destroyed', async () => {
      const disks = async () => (await world(server, provider)).filter(({ kind }) => kind === 'volume')
      const { id } = await makeCloudCluster(server, provider, {
        count: 0,
        data: { disks: [{ name: 'data', size: 50, type: '' }] },
      })
      await server.act(id, 'deploy')
      await untilState(server, id, 'available')
      await server.act(id, 'destroy', { keepDisks: ['data'] })
      await untilState(server, id, 'destroyed')
      const kept = (await disks()).find(({ clusterId }) => clusterId === id)
      expect(kept).toBeDefined()

      const other = await makeCloudCluster(server, provider, {
        name: 'The next',
        count: 0,
        data: { disks: [{ name: 'old', id: kept?.id }] },
      })
      await server.act(other.id, 'deploy')
      await untilState(server, other.id, 'available')
      // It is attached, not created.
      expect(
        (await disks()).filter(({ clusterId, name }) => clusterId === other.id && /old/.test(name)),
      ).toEqual([])
      await server.act(other.id, 'destroy')
      await untilState(server, other.id, 'destroyed')
      expect((await disks()).map((one) => one.id)).toContain(kept?.id)
    })
  },
)
