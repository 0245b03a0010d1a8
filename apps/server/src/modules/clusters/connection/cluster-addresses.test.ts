import { api } from '@flotilla/contract/api'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApp, type Answer, type TestApp } from '../../../../test/support/app/app'
import { rowOf } from '../../../../test/support/modules/cloud-row'

type Person = { id: string; token: string; username: string }

let server: TestApp
let admin: Person
/** A service that only this machine can connect to. */
let inside: net.Server
let port: number
let connected = 0
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('boss', ['admin', 'user'])
  inside = net.createServer((socket) => {
    connected += 1
    socket.destroy()
  })
  inside.listen(0, '127.0.0.1')
  await once(inside, 'listening')
  port = (inside.address() as AddressInfo).port
})
afterAll(async () => {
  inside.close()
  await server.close()
})

let people = 0
const person = () => server.person(`prober${String.fromCharCode(97 + people++)}`, ['user'])
const dataOf = (host: string, at = port) => ({
  manager: 'slurm' as const,
  transport: 'ssh' as const,
  head: { host, port: at, username: 'keeper' },
})
const scoped = ({ token }: Person) => ({ token, admin: true })
const far = (host: string, at?: number) => ({ name: 'Far', data: dataOf(host, at) })
const create = (as: Person, host: string, at?: number) =>
  server.answer(api.clusters.createLocal, { body: far(host, at) }, scoped(as))
const created = async (...given: Parameters<typeof create>) => (await create(...given)).json.id
const save = (as: Person, id: string, host: string, at?: number) =>
  server.answer(api.clusters.updateLocal, { body: { id, ...far(host, at) } }, scoped(as))
const hostKey = (as: Person, id: string) => server.answer(api.clusters.hostKey, { id }, scoped(as))
const test = (as: Person, host: string, at?: number) =>
  server.answer(api.clusters.test, { body: far(host, at) }, scoped(as))
const allowPrivate = (privateHeadNodes: boolean) =>
  server.must(api.settings.setSecurity, { body: { privateHeadNodes } }, scoped(admin))
const byAdmin = {
  'data.head.host': expect.stringContaining('Only admins can use head nodes at private addresses'),
}

describe('a head node at a private address', () => {
  it('can neither be saved nor connected to by an ordinary person, in any notation', async () => {
    const ada = await person()
    const mine = await created(ada, 'head.example.org')
    const loopback = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '::1',
      '::ffff:7f00:1',
    ]
    const others = [
      '10.0.0.5',
      '172.20.1.1',
      '192.168.1.1',
      '100.64.3.2',
      'fd12::1',
      '64:ff9b::a00:5',
      '2002:a00:5::',
    ]
    for (const host of [...loopback, ...others])
      for (const answer of [await create(ada, host), await test(ada, host), await save(ada, mine, host)])
        expect(answer, host).toMatchObject({ status: expect.toBeOneOf([403, 429]) })
    expect((await create(ada, '127.0.0.1')).json).toMatchObject({ code: 'forbidden', fields: byAdmin })
    expect(connected).toBe(0)
  })

  it('cannot be connected to through a name that resolves to it either', async () => {
    const ada = await person()
    const id = await created(ada, 'localhost')
    const refusal = { status: 503, message: expect.stringContaining('is on a private network') }
    expect(await server.refused(api.clusters.hostKey, { id }, scoped(ada))).toMatchObject(refusal)
    const body = { fingerprint: `SHA256:${'a'.repeat(43)}` }
    expect(await server.refused(api.clusters.acceptHostKey, { id, body }, scoped(ada))).toMatchObject(refusal)
    const steps = (await test(ada, 'localhost')).json
    expect(steps).toMatchObject([{ step: 'resolve host', ok: false }])
    // The address that the name resolves to is not disclosed.
    expect(JSON.stringify(steps)).not.toContain('127.0.0.1')
    const key = { sshKey: (await rowOf(server, id)).public_key ?? '', targetUsername: 'keeper' }
    const upload = await server.refused(api.clusters.uploadSshKey, { id, body: key }, scoped(ada))
    expect(upload.status).toBe(503)
    expect(connected).toBe(0)
  })

  it('can be connected to if an admin saved it, until someone else changes the address', async () => {
    const ada = await person()
    const id = await created(ada, 'head.example.org')
    expect((await save(admin, id, '127.0.0.1')).status).toBe(200)
    connected = 0
    expect((await hostKey(ada, id)).json).toMatchObject({ step: 'start SSH' })
    expect(connected).toBe(1)
    expect((await save(ada, id, '127.0.0.1')).status).toBe(200)
    expect((await save(ada, id, '127.0.0.1', port + 1)).json).toMatchObject({ fields: byAdmin })
    expect((await save(ada, id, '127.0.0.2')).json).toMatchObject({ fields: byAdmin })
    // The address is changed and then changed back.
    expect((await save(ada, id, 'localhost')).status).toBe(200)
    expect((await hostKey(ada, id)).status).toBe(503)
    expect((await save(ada, id, '127.0.0.1')).status).toBe(403)
    expect(connected).toBe(1)
  })

  it('can be connected to by everyone if the site allows it, and otherwise only by admins', async () => {
    const ada = await person()
    await allowPrivate(true)
    const id = await created(ada, '127.0.0.1')
    connected = 0
    expect((await hostKey(ada, id)).json).toMatchObject({ step: 'start SSH' })
    await allowPrivate(false)
    expect((await hostKey(ada, id)).status).toBe(503)
    expect(connected).toBe(1)
    expect((await test(admin, '127.0.0.1')).json).toContainEqual(
      expect.objectContaining({ step: 'connect', ok: true }),
    )
  })
})

describe('calls that connect to a user-entered address', () => {
  it('share one limit, so that they cannot be used to scan a network', async () => {
    const ada = await person()
    const other = await person()
    await allowPrivate(true)
    const [one, two] = [await created(ada, '127.0.0.1', 1), await created(ada, '127.0.0.1', 2)]
    const key = { sshKey: (await rowOf(server, one)).public_key ?? '', targetUsername: 'keeper' }
    const calls: [string, (at: number) => Promise<Answer>][] = [
      ['change', (at) => save(ada, one, '127.0.0.1', at)],
      ['host key', () => hostKey(ada, one)],
      ['test', (at) => test(ada, '127.0.0.1', at)],
      ['upload a key', () => server.answer(api.clusters.uploadSshKey, { id: one, body: key }, scoped(ada))],
      ['deploy', () => server.answer(api.clusters.deploy, { body: { id: two } }, scoped(ada))],
    ]
    const statuses: number[] = []
    for (let round = 0; round < 5; round += 1)
      for (const [, send] of calls) statuses.push((await send(10 + round)).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    expect(statuses.indexOf(429)).toBe(20)
    for (const [name, send] of calls)
      expect((await send(99)).json, name).toMatchObject({
        code: 'too_many_requests',
        message: expect.stringMatching(/^You have connected to new head nodes 20 times within 60 seconds\./),
      })
    // Calls that do not connect still work, and so do the calls of everyone else.
    expect((await save(ada, one, '127.0.0.1', 13)).status).toBe(200)
    expect((await test(other, '127.0.0.1', 1)).status).toBe(200)
    for (let round = 0; round < 25; round += 1) expect((await test(admin, '127.0.0.1', 1)).status).toBe(200)
  })
})
