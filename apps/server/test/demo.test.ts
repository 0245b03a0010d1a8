import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cluster } from '@flotilla/contract/clusters-entity'
import { seedThings } from '../src/cli/demo/things'
import { PASSWORD } from './app'
import { Console } from './console'

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.02' } })
})
afterAll(() => server.stop())

it('the demo has credentials, an image, clusters and jobs of a person to look at', async () => {
  await server.person('grace', ['admin', 'user'])
  await server.person('maria', ['instructor', 'user'])
  await seedThings(server.url, PASSWORD)
  const list = <T>(path: string) => server.must<T[]>('GET', path, { as: server.admin })
  expect(await list('/api/credentials/')).toHaveLength(2)
  expect(await list('/api/stacks/')).toMatchObject([{ name: 'Course image' }])
  const clusters = await list<Cluster>('/api/clusters/')
  expect(clusters.map(({ name, info }) => [name, info.state])).toEqual(
    expect.arrayContaining([
      ['Aurora', 'available'],
      ['Teaching lab', 'saved'],
    ]),
  )
  const submissions = await list<{ lastSubmission: unknown }>('/api/jobs/')
  expect(submissions).toHaveLength(3)
  for (const { lastSubmission } of submissions)
    expect(lastSubmission).toMatchObject({ runAsAdmin: false, submittedBy: 'grace' })
})
