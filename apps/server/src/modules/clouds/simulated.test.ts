import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Provider } from '@flotilla/contract/clouds/providers'
import * as z from 'zod/mini'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { aws, makeCloud } from '../../../test/support/app/credentials'

const { cloud, clouds, reset } = makeCloud()
let server: TestApp
let token: string
beforeAll(async () => {
  server = await testApp({ CLOUD: 'simulated' }, { clouds })
  ;({ token } = await server.person('chief', ['admin']))
})
afterAll(() => server.close())
beforeEach(reset)

const call = (method: string, url: string, body?: object) => server.call(method, url, { as: token, body })

it('on the simulated cloud no one is asked, and everything says so', async () => {
  const made = await call('POST', '/api/credentials/', {
    credentials: { name: 'aws', provider: 'aws', data: { access_key: 'AKIA', secret_key: 'x' } },
  })
  const { id } = made.json as { id: string }
  expect((await call('POST', '/api/shapes/sync', { credentialId: id, region: 'us-east-1' })).status).toBe(200)
  expect(cloud.asked).toEqual([])
  const found = z.array(Provider).parse((await call('GET', '/api/providers')).json)
  expect(found.every((one) => one.simulated)).toBe(true)
  expect((await call('GET', '/api/providers/aws/prices?region=us-east-1')).json).toMatchObject({
    source: 'the simulated AWS',
  })
})

describe('a test', () => {
  it('of a simulated cloud says so', async () => {
    const { json } = await call('POST', '/api/credentials/test', { provider: 'aws', data: aws() })
    expect(json).toMatchObject({ simulated: true, message: expect.stringContaining('simulated') })
  })
})
