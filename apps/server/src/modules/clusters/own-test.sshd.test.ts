import { api } from '@flotilla/contract/api'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console, type Person } from '../../../test/support/console'
import { startHostileHead, type HostileHead } from '../../../test/support/hostile-head'

let folder: string
let head: HostileHead
let server: Console
let bob: Person
let eve: Person
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-own-'))
  ;[head, server] = await Promise.all([startHostileHead(folder), Console.start()])
  bob = await server.person('bobby')
  eve = await server.person('evelyn')
})
afterAll(async () => {
  await server.stop()
  await head.close()
  await rm(folder, { recursive: true, force: true })
})

const attach = async (accounts: 'key' | 'sudo') => {
  const { host, port, privateKey } = head
  const login = { host, port, username: 'keeper', key: 'given' as const, privateKey, accounts }
  const body = {
    name: `By ${accounts}`,
    collaborators: ['bobby'],
    data: { manager: 'torque' as const, transport: 'ssh' as const, head: login },
  }
  const { id } = await server.must(api.clusters.createLocal, { body }, { token: server.admin })
  await server.must(api.clusters.deploy, { body: { id } }, { token: server.admin })
  return server.available(id)
}
const test = (id: string, { token } = bob) => server.must(api.clusters.testOwn, { id }, { token })
const publicKey = async (person: Person) =>
  (await server.must(api.users.publicKey, {}, { token: person.token })).publicKey

it('runs every step as the account of the caller, even one who does not own the cluster', async () => {
  const id = await attach('key')
  head.used.length = 0
  const steps = await test(id)
  expect(steps.every(({ ok }) => ok)).toBe(true)
  expect(steps.at(-1)).toMatchObject({ step: 'resource manager', message: expect.stringContaining('node') })
  expect(head.used).toContain('bobby')
  expect((await server.call('POST', `/api/clusters/${id}/test`, { as: eve.token })).status).toBe(404)

  // A refused key is shown, where it is tested and where it is used.
  head.refused.add('bobby')
  const key = await publicKey(bob)
  expect(key).toMatch(/^ssh-ed25519 \S+ bobby$/)
  const short = key.split(' ').slice(0, 2).join(' ')
  expect((await test(id)).at(-1)).toMatchObject({
    step: 'log in',
    ok: false,
    message: expect.stringContaining('~bobby/.ssh/authorized_keys'),
    publicKey: short,
  })
  await head.move().then((port) => edited(id, port))
  const files = await server.call<{ publicKey?: string }>('GET', `/api/files/${id}/list`, { as: bob.token })
  expect(files).toMatchObject({ status: 503, json: { publicKey: short } })
  head.refused.clear()
})

/** Connections that are open are not refused any more: the cluster is elsewhere now. */
const edited = async (id: string, port: number) => {
  const { host, privateKey } = head
  const login = {
    host,
    port,
    username: 'keeper',
    key: 'given' as const,
    privateKey,
    accounts: 'key' as const,
  }
  const body = {
    id,
    name: 'By key',
    collaborators: ['bobby'],
    data: { manager: 'torque' as const, transport: 'ssh' as const, head: login },
  }
  await server.must(api.clusters.updateLocal, { body }, { token: server.admin })
  await server.available(id)
}

it('keeps what is wrong with the cluster\u2019s own account between the console and its owner', async () => {
  const id = await attach('sudo')
  expect((await test(id)).every(({ ok }) => ok)).toBe(true)
  head.refused.add('keeper')
  const last = (await test(id)).at(-1)
  expect(last).toMatchObject({ ok: false, message: expect.stringContaining('the owner') })
  expect(last?.publicKey).toBeUndefined()
  expect(last?.message).not.toContain('keeper')
  head.refused.clear()
})

it('tests this machine as well', async () => {
  const steps = await test(await server.thisMachine())
  expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
    ['switch account', true],
    ['write file', true],
    ['resource manager', true],
  ])
})
