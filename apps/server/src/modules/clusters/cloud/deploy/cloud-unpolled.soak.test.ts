import { api } from '@flotilla/contract/api'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCloudCluster, untilState } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'
import { until } from '../../../../../test/support/until'

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated' } })
})
afterAll(() => server.stop())

/** Longer than the poller takes to find new clusters, and than the interval between two polls. */
const A_WHILE_MS = 7000

test('a stopped or destroyed cluster in a cloud is not polled, not even by a server that has just started', async () => {
  const deployed = async () => {
    const { id } = await makeCloudCluster(server, 'aws', { count: 1 })
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    await until(async () => (await polledAt(id)) > 0)
    return id
  }
  const polledAt = async (id: string) => (await server.cluster(id)).freshness.polledAt ?? 0
  const [stopped, destroyed] = [await deployed(), await deployed()]
  await server.act(stopped, 'stop')
  await untilState(server, stopped, 'stopped')
  await server.act(destroyed, 'destroy')
  await untilState(server, destroyed, 'destroyed')
  await server.kill()
  await server.run()
  const before = [await polledAt(stopped), await polledAt(destroyed)]
  await sleep(A_WHILE_MS)
  expect([await polledAt(stopped), await polledAt(destroyed)]).toEqual(before)
  for (const id of [stopped, destroyed])
    expect(await server.must(api.clusters.logs, { id, type: 'connection' }, { token: server.admin })).toEqual(
      [],
    )
  expect(server.out).not.toContain('could not be polled')
})
