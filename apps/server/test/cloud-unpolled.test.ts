import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCloudCluster, reaches } from './cloud'
import { Console } from './console'
import { until } from './until'

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.02' } })
})
afterAll(() => server.stop())

/** Longer than the poller waits before it looks around, and than it waits between two looks. */
const A_WHILE_MS = 7000

test('a cluster in a cloud that is stopped or destroyed is not asked, also by a server that has just begun', async () => {
  const { id } = await makeCloudCluster(server, 'aws', { count: 1 })
  const polledAt = async () => (await server.cluster(id)).freshness.polledAt ?? 0
  const asksNobody = async () => {
    await server.kill()
    await server.run()
    const before = await polledAt()
    await sleep(A_WHILE_MS)
    expect(await polledAt()).toBe(before)
    const logs = await server.must<{ text: string }[]>('GET', `/api/clusters/logs/${id}/connection`, {
      as: server.admin,
    })
    expect(logs.map(({ text }) => text)).toEqual([])
    expect(server.out).not.toContain('could not be polled')
  }
  await server.act(id, 'deploy')
  await reaches(server, id, 'available')
  await until(async () => (await polledAt()) > 0)
  await server.act(id, 'stop')
  await reaches(server, id, 'stopped')
  await asksNobody()
  await server.act(id, 'start')
  await reaches(server, id, 'available')
  const stopped = await polledAt()
  await until(async () => (await polledAt()) > stopped)
  await server.act(id, 'destroy')
  await reaches(server, id, 'destroyed')
  await asksNobody()
})
