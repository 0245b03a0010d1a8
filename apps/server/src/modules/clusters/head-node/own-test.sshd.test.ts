import { api } from '@flotilla/contract/api'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console, type Person } from '../../../../test/support/console/console'
import { exec } from '../../../../test/support/exec'
import { startHostileHead, type HostileHead } from '../../../../test/support/machines/hostile-head'
import { until } from '../../../../test/support/until'
import { installTorque } from '../../../../test/support/schedulers/torque/install'
import { torque } from '../../../schedulers/torque'
import { soakIt } from '../../../../test/support/soak'

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

const torqueAt = (port: number, accounts: 'key' | 'sudo' = 'key') => {
  const { host, privateKey } = head
  const login = { host, port, username: 'keeper', key: 'given' as const, privateKey, accounts }
  return { manager: 'torque' as const, transport: 'ssh' as const, head: login }
}
const attach = async (accounts: 'key' | 'sudo', collaborators = ['bobby']) => {
  const body = {
    name: `By ${accounts} for ${collaborators[0]}`,
    collaborators,
    data: torqueAt(head.port, accounts),
  }
  const { id } = await server.must(api.clusters.createLocal, { body }, { token: server.admin })
  await server.must(api.clusters.deploy, { body: { id } }, { token: server.admin })
  return server.available(id)
}
const test = (id: string, { token } = bob) => server.must(api.clusters.testOwn, { id }, { token })
const publicKey = async (person: Person) =>
  (await server.must(api.users.publicKey, {}, { token: person.token })).publicKey

soakIt('runs every step as the account of the caller, even one who does not own the cluster', async () => {
  const id = await attach('key')
  head.used.length = 0
  const steps = await test(id)
  expect(steps.every(({ ok }) => ok)).toBe(true)
  expect(steps.at(-1)).toMatchObject({ step: 'resource manager', message: expect.stringContaining('node') })
  expect(head.used).toContain('bobby')
  expect((await server.refused(api.clusters.testOwn, { id }, { token: eve.token })).status).toBe(404)

  // A refused key is shown by the test and by the calls that use it.
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
  const files = await server.refused(api.files.list, { cluster: id }, { token: bob.token })
  expect(files).toMatchObject({ status: 503, publicKey: short })
  head.refused.clear()
})

/** Saves the cluster with another port, so that open connections, which would not be refused, are no longer used. */
const edited = async (id: string, port: number) => {
  const body = {
    id,
    name: 'By key',
    collaborators: ['bobby'],
    data: torqueAt(port),
  }
  await server.must(api.clusters.updateLocal, { body }, { token: server.admin })
  await server.available(id)
}

soakIt('shows problems with the cluster\u2019s own account only to its owner', async () => {
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

soakIt(
  'shows people the jobs that they submitted by hand and only they can see, once their own connection has worked',
  async () => {
    const [carol, dora] = [await server.person('carol'), await server.person('dorothy')]
    const id = await attach('key', ['carol', 'dorothy'])
    const request = { name: 'by-hand', nodes: 2, cores: 4, gpus: 0, walltime: '01:00:00', script: 'true' }
    const { argv, stdin = '' } = torque.submit(
      { ...request, workdir: folder, stdoutPath: `${folder}/out` },
      'none',
    )
    const { bin } = await installTorque(folder, 'carol')
    expect((await exec(argv, { env: { PATH: bin }, stdin })).code).toBe(0)

    const view = (token: string) => server.must(api.clusters.view, { id }, { token })
    await until(async () => (await view(server.admin)).hiddenJobs !== null)
    const queue = async ({ token }: { token: string }) =>
      (await server.must(api.clusters.queue, { id, query: {} }, { token })).data.map(({ user }) => user)
    head.used.length = 0
    expect(await queue(carol)).toEqual([])
    expect(head.used, 'viewing the queue does not query an account, which may not exist there').not.toContain(
      'carol',
    )
    for (const person of [carol, dora]) await test(id, person)
    await until(async () => (await queue(carol)).join() === 'carol')
    expect(head.used).toEqual(expect.arrayContaining(['carol', 'dorothy']))
    expect(await queue(dora), 'the job was read with someone else’s rights').toEqual([])
    expect(await queue({ token: server.admin })).toEqual(['carol'])
    expect((await view(carol.token)).queue.total).toBe(1)
    expect((await view(dora.token)).queue.total).toBe(0)
  },
)

it('warns the owner that the login account sees no one else\u2019s jobs', async () => {
  const body = {
    name: 'Warned',
    data: torqueAt(head.port),
  }
  const steps = await server.must(api.clusters.test, { body }, { token: server.admin })
  expect(steps.slice(-2)).toMatchObject([
    { step: 'resource manager', ok: true },
    { step: 'see all jobs', ok: true, warning: true, message: expect.stringContaining('query_other_jobs') },
  ])
})

it('shows the refused key to someone whose account there has another name, set by an admin', async () => {
  const gail = await server.person('gail')
  const body = { id: gail.id, unixAccount: 'g.wilson' }
  await server.must(api.users.update, { body }, { token: server.admin, admin: true })
  const id = await attach('key', ['gail'])
  head.refused.add('g.wilson')
  const last = (await test(id, gail)).at(-1)
  expect(last?.message).toContain('~g.wilson/.ssh/authorized_keys')
  expect(last?.publicKey).toMatch(/^ssh-ed25519 /)
  head.refused.clear()
})
