import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { messages } from '@flotilla/contract/messages'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { API_KEY, startMaas, type FakeMaas } from '../../../test/support/clouds/maas'

let server: TestApp
let maas: FakeMaas
let admin: string
let user: string
beforeAll(async () => {
  maas = await startMaas()
  server = await testApp()
  admin = (await server.person('chief', ['admin'])).token
  user = (await server.person('adalove', ['user'])).token
})
beforeEach(() => {
  maas.calls.length = 0
  maas.answer = null
})
afterAll(async () => {
  await server.close()
  await maas.close()
})

const release = (hostnames: string[], token = admin, scope = false) =>
  server.answer(api.acm.releaseNodes, { body: { hostnames } }, { token, admin: scope })

describe('without an ACM credential', () => {
  it('ACM is not enabled, lists are empty, and a sync reports the missing credential', async () => {
    expect(await server.must(api.acm.enabled, {}, { token: user })).toEqual({ enabled: false })
    for (const list of [api.acm.images, api.acm.shapes, api.acm.machines])
      expect(await server.must(list, {}, { token: user })).toEqual([])
    expect(await server.refused(api.acm.syncShapes, {}, { token: admin })).toMatchObject({
      status: 409,
      message: expect.stringContaining('credential'),
    })
  })
})

describe('with an ACM credential', () => {
  let id: string
  beforeAll(async () => {
    ;({ id } = await server.must(
      api.credentials.create,
      {
        body: {
          name: 'our MAAS',
          provider: 'maas',
          collaborators: ['adalove'],
          data: { api_url: maas.url, api_key: API_KEY },
        },
      },
      { token: admin },
    ))
  })

  it('ACM is enabled for users who may use the credential', async () => {
    expect(await server.must(api.acm.enabled, {}, { token: user })).toEqual({ enabled: true })
    const other = (await server.person('stranger', ['user'])).token
    expect(await server.must(api.acm.enabled, {}, { token: other })).toEqual({ enabled: false })
    expect(await server.must(api.acm.machines, {}, { token: other })).toEqual([])
    expect(
      (await server.refused(api.acm.machines, { query: { credentialId: id } }, { token: other })).status,
    ).toBe(404)
    expect(maas.calls).toEqual([])
  })

  it('the credential is tested by querying the site for its user', async () => {
    const testCredential = (body: object) => server.must(api.credentials.test, { body }, { token: admin })
    expect(await testCredential({ id })).toMatchObject({
      outcome: 'ok',
      account: 'console',
      simulated: false,
    })
    expect(maas.calls).toEqual(['GET /MAAS/api/2.0/users/?op=whoami'])
    const wrong = { provider: 'maas', data: { api_url: maas.url, api_key: 'a:b:c' } }
    expect(await testCredential(wrong)).toMatchObject({ outcome: 'refused', account: null })
  })

  it('machines, images and shapes come from the site', async () => {
    expect(await server.must(api.acm.machines, {}, { token: user })).toHaveLength(5)
    expect(await server.must(api.acm.images, { query: { credentialId: id } }, { token: user })).toHaveLength(
      2,
    )
    expect(await server.must(api.acm.shapes, {}, { token: user })).toContainEqual(
      expect.objectContaining({ instance_id: 'tag:gpu', cores: 64, machines: 1, ready: 1 }),
    )
  })

  it('a sync stores the shapes as sizes of the provider', async () => {
    expect((await server.refused(api.acm.syncShapes, {}, { token: user })).status).toBe(403)
    expect(await server.must(api.acm.syncShapes, {}, { token: admin })).toEqual({
      success: true,
      message: messages.acmShapesSynced,
    })
    const providers = await server.must(api.providers.list, {}, { token: user })
    expect(providers.find((one) => one.id === 'maas')?.instanceSizes).toContainEqual(
      expect.objectContaining({ instance_id: 'tag:gpu', cores: 64 }),
    )
    expect(await server.must(api.providers.sizesHash, {}, { token: admin })).toMatchObject({
      'pool:lab': { cores: 32, gpus: 0 },
    })
  })

  it('machines are released by hostname, all of them or none', async () => {
    for (const hostnames of [undefined, null, [], 'node2', [''], [7], {}]) {
      const { json } = await server.call('POST', api.acm.releaseNodes.path, {
        as: admin,
        body: { hostnames },
      })
      expect(json, JSON.stringify(hostnames)).toMatchObject({
        statusCode: 400,
        message: messages.hostnamesInvalid,
      })
    }
    expect((await release(['node2'], user)).status).toBe(403)
    const other = (await server.person('otherchief', ['admin'])).token
    expect((await release(['node2'], other)).json).toMatchObject({
      statusCode: 403,
      code: 'admin_scope_needed',
    })
    expect((await release(['missing'], other, true)).status).toBe(400)
    expect((await release(['node2', 'missing'])).json).toMatchObject({
      statusCode: 400,
      message: 'ACM has no machine named missing',
    })
    expect((await release(['node2', 'node1'])).json).toMatchObject({
      statusCode: 400,
      message: 'Not allocated: node1 (Ready)',
    })
    expect(maas.calls.filter((call) => call.startsWith('POST'))).toEqual([])
    expect((await release([' node2 ', 'node2'])).json).toEqual({
      success: true,
      message: messages.nodesReleased,
    })
    expect(maas.calls.filter((call) => call.startsWith('POST'))).toEqual([
      'POST /MAAS/api/2.0/machines/?op=release machines=sys2&comment=released+in+the+console',
    ])
    const trail = await server.must(api.activities.list, {}, { token: admin })
    expect(JSON.stringify(trail)).toContain('ACM machines')
  })

  it('a site that refuses access or is down is explained without revealing the key', async () => {
    maas.answer = (_request, response) =>
      Boolean(response.writeHead(401).end(`Authorization Error: ${API_KEY} seCret/+key`))
    const refused = await server.answer(api.acm.machines, {}, { token: admin })
    expect(refused.status).toBe(409)
    expect(refused.text).not.toContain('seCret')
    maas.answer = (request) => Boolean(request.socket.destroy())
    expect((await server.refused(api.acm.machines, {}, { token: admin })).status).toBe(503)
    expect(server.log()).not.toContain('seCret')
  })
})
