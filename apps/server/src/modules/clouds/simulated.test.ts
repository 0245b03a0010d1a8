import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { aws, makeCloud } from '../../../test/support/app/credentials'

const { cloud, clouds, reset } = makeCloud()
let server: TestApp
let as: { token: string }
beforeAll(async () => {
  server = await testApp({ CLOUD: 'simulated' }, { clouds })
  as = await server.person('chief', ['admin'])
})
afterAll(() => server.close())
beforeEach(reset)

it('with simulated clouds no real cloud is queried, and the replies say that they are simulated', async () => {
  const data = { access_key: 'AKIA', secret_key: 'x' }
  const { id } = await server.must(
    api.credentials.create,
    { body: { name: 'aws', provider: 'aws', data } },
    as,
  )
  const region = 'us-east-1'
  await server.must(api.providers.sync, { body: { credentialId: id, region } }, as)
  expect(cloud.asked).toEqual([])
  const found = await server.must(api.providers.list, {}, as)
  expect(found.every((one) => one.simulated)).toBe(true)
  expect(await server.must(api.providers.prices, { provider: 'aws', query: { region } }, as)).toMatchObject({
    source: 'the simulated AWS',
  })
})

describe('a credential test', () => {
  it('of a simulated cloud says that it is simulated', async () => {
    const body = { provider: 'aws' as const, data: aws() }
    const tested = await server.must(api.credentials.test, { body }, as)
    expect(tested).toMatchObject({ simulated: true, message: expect.stringContaining('simulated') })
  })
})
