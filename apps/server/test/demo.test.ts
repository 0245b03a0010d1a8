import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedThings } from '../src/cli/demo/things'
import { PASSWORD } from './support/app'
import { Console } from './support/console'

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.02' } })
})
afterAll(() => server.stop())

it('the demo has credentials, an image, clusters and jobs of a person to look at', async () => {
  await server.person('grace', ['admin', 'user'])
  await server.person('maria', ['instructor', 'user'])
  await seedThings(server.url, PASSWORD)
  const as = { token: server.admin }
  expect(await server.must(api.credentials.list, {}, as)).toHaveLength(2)
  expect(await server.must(api.stacks.list, {}, as)).toMatchObject([{ name: 'Course image' }])
  const clusters = await server.must(api.clusters.list, {}, as)
  expect(clusters.map(({ name, info }) => [name, info.state])).toEqual(
    expect.arrayContaining([
      ['Aurora', 'available'],
      ['Teaching lab', 'saved'],
    ]),
  )
  const submissions = await server.must(api.jobs.list, {}, as)
  expect(submissions).toHaveLength(3)
  for (const { lastSubmission } of submissions)
    expect(lastSubmission).toMatchObject({ runAsAdmin: false, submittedBy: 'grace' })
})
