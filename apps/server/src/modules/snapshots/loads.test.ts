import { expect, it, onTestFinished } from 'vitest'
import { testApp } from '../../../test/support/app/app'
import { insertCluster } from '../../../test/support/app/rows'
import { makeSnapshots } from './snapshots'

const HOUR_MS = 60 * 60_000

it('the load of a week covers its first minute to now and includes the highest peak', async () => {
  const server = await testApp()
  onTestFinished(() => server.close())
  const id = await insertCluster(server, await server.person('adalove', ['user']), 'Whole week')
  const now = Date.now()
  const minutes = 7 * 24 * 60 - 5
  const rows = Array.from({ length: minutes }, (_, index) => ({
    cluster_id: id,
    time: new Date(now - index * 60_000),
    cpus: 8,
    load_avg: index === 100 ? 7 : 2,
  }))
  for (let at = 0; at < rows.length; at += 5000)
    await server.db.kysely
      .insertInto('cluster_loads')
      .values(rows.slice(at, at + 5000))
      .execute()
  const points = await makeSnapshots(server.db, Date.now).load(id, now - 7 * 24 * HOUR_MS)
  expect(points.at(-1)?.time).toBe(now)
  expect(points[0]?.time).toBeLessThan(now - (7 * 24 - 1) * HOUR_MS)
  expect(points.length).toBeLessThan(2600)
  expect(Math.max(...points.map(({ loadAvg }) => loadAvg))).toBe(7)
})
