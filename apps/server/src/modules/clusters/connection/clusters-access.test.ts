import { api } from '@flotilla/contract/api'
import type { CallOptions } from '@flotilla/client/request'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import type { Sent } from '@flotilla/contract/endpoint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSshKey } from '../../../ssh-key'
import { Console, type Person } from '../../../../test/support/console/console'
import { soakIt } from '../../../../test/support/soak'

const local = (virtualNodes = {}) => ({
  manager: 'none' as const,
  transport: 'local' as const,
  virtualNodes,
})
const ssh = (more = {}) => ({
  manager: 'slurm' as const,
  transport: 'ssh' as const,
  head: { host: 'head.example.org', username: 'keeper', ...more },
})

let server: Console
let machine: string
let ada: Person
let bob: Person
let eve: Person
let pupil: Person
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
  bob = await server.person('bobby')
  eve = await server.person('evelyn')
  pupil = await server.participant('pupil')
})
afterAll(() => server.stop())

type Given = Sent<typeof api.clusters.createLocal>['body']
const create = async ({ token }: Person, body: Given): Promise<LocalCluster> => {
  const made = await server.must(api.clusters.createLocal, { body }, { token })
  if (made.provider !== 'local') throw new Error(`${made.name} is in a cloud`)
  return made
}
const createRefused = ({ token }: Person, body: Given) =>
  server.refused(api.clusters.createLocal, { body }, { token })

describe('a cluster', () => {
  it('"This machine" exists after the first start, for everyone but participants', async () => {
    for (const { token } of [ada, bob])
      expect((await server.cluster(machine, token)).submitBlockedReason).toBeNull()
    expect((await server.refused(api.clusters.view, { id: machine }, { token: pupil.token })).status).toBe(
      404,
    )
    expect(await server.must(api.clusters.list, {}, { token: pupil.token })).toEqual([])
  })

  it('can be seen and used only by its owner, its collaborators and admins', async () => {
    const made = await create(ada, { name: 'Adas', data: ssh(), collaborators: ['bobby', 'pupil'] })
    expect(made).toMatchObject({
      owner: 'adalove',
      mine: true,
      collaborators: ['bobby', 'pupil'],
      info: { state: 'saved' },
    })
    expect(made.data.publicKey).toMatch(/^ssh-ed25519 /)
    const { id } = made
    const seen = async (token: string) => (await server.answer(api.clusters.view, { id }, { token })).status
    expect(
      await Promise.all([ada, bob, pupil, { token: server.admin }, eve].map(({ token }) => seen(token))),
    ).toEqual([200, 200, 200, 200, 404])
    const { view, queue, nodes, load, activities, logs, node } = api.clusters
    const reads = ({ token }: Person) =>
      Promise.all([
        ...[view, queue, nodes, load, activities].map((call) => server.answer(call, { id }, { token })),
        server.answer(logs, { id, type: 'deploy' }, { token }),
        server.answer(node, { cluster: id, node: 'n1' }, { token }),
      ])
    for (const { status } of await reads(eve)) expect(status).toBe(404)
    for (const { status } of await reads(bob)) expect([200, 404]).toContain(status)
    expect((await server.cluster(id, bob.token)).mine).toBe(false)

    // Only its owner may change it, and admins with admin scope.
    const cluster = { id, name: 'Renamed', data: ssh(), collaborators: ['bobby', 'pupil'] }
    const calls = api.clusters
    const fingerprint = `SHA256:${'a'.repeat(43)}`
    const keyOfKeeper = { sshKey: made.data.publicKey ?? '', targetUsername: 'keeper' }
    const changes = (as: CallOptions) => [
      server.refused(calls.updateLocal, { body: cluster }, as),
      server.refused(calls.collaborators, { body: { id, collaborators: [] } }, as),
      server.refused(calls.deploy, { body: { id } }, as),
      server.refused(calls.stop, { body: { id } }, as),
      server.refused(calls.start, { body: { id } }, as),
      server.refused(calls.destroy, { body: { id } }, as),
      server.refused(calls.destroy, { body: { id, resetingState: true } }, as),
      server.refused(calls.test, { beside: { id } }, as),
      server.refused(calls.hostKey, { id }, as),
      server.refused(calls.acceptHostKey, { id, body: { fingerprint } }, as),
      server.refused(calls.drain, { id, body: { nodes: ['n1'] } }, as),
      server.refused(calls.resume, { id, body: { nodes: ['n1'] } }, as),
      server.refused(calls.operateJobs, { id, operation: 'cancel', body: { jobs: ['1'] } }, as),
      server.refused(calls.uploadSshKey, { id, body: keyOfKeeper }, as),
      server.refused(calls.remove, { id }, as),
    ]
    const refusals = async (as: CallOptions) =>
      new Set((await Promise.all(changes(as))).map(({ status, code }) => `${status} ${code}`))
    expect(await refusals({ token: eve.token })).toEqual(new Set(['404 not_found']))
    expect(await refusals({ token: bob.token })).toEqual(new Set(['403 forbidden']))
    expect(await refusals({ token: bob.token, admin: true })).toEqual(new Set(['403 forbidden']))
    expect(await refusals({ token: pupil.token })).toEqual(new Set(['403 forbidden']))
    expect(await refusals({ token: server.admin })).toEqual(new Set(['403 admin_scope_needed']))
    const key = (token: string) => server.answer(api.clusters.downloadSshKey, { id }, { token })
    expect((await key(bob.token)).status).toBe(403)
    expect((await key(eve.token)).status).toBe(404)
    expect((await key(ada.token)).json).toContain('PRIVATE KEY')
    const renamed = await server.must(
      api.clusters.updateLocal,
      { body: cluster },
      { token: server.admin, admin: true },
    )
    expect(renamed).toMatchObject({ name: 'Renamed', owner: 'adalove' })
    // The cluster does not exist for people whom it is no longer shared with.
    await server.must(api.clusters.collaborators, { body: { id, collaborators: [] } }, { token: ada.token })
    expect(await seen(bob.token)).toBe(404)
  })

  it('is rejected with all invalid fields; its keys are never returned', async () => {
    const bad = await createRefused(ada, {
      name: '!',
      data: { manager: 'slurm', transport: 'ssh', head: { host: 'a b', username: 'Root User', port: 0 } },
    })
    expect(bad.status).toBe(400)
    expect(Object.keys(bad.fields).toSorted()).toEqual([
      'data.head.host',
      'data.head.port',
      'data.head.username',
      'name',
    ])
    const unknown = await createRefused(ada, { name: 'Who', data: ssh(), collaborators: ['nosuchuser'] })
    expect(unknown).toMatchObject({
      status: 400,
      fields: { collaborators: expect.stringContaining('nosuchuser') },
    })
    expect(
      await createRefused(ada, { name: 'Headless', data: { manager: 'slurm', transport: 'ssh' } }),
    ).toMatchObject({ status: 400, fields: { 'data.head': expect.any(String) } })
    expect((await createRefused(ada, { name: 'Keyless', data: ssh({ key: 'given' }) })).status).toBe(400)
    const { privateKey } = makeSshKey('given')
    const made = await create(ada, { name: 'Given', data: ssh({ key: 'given', privateKey }) })
    const secret = privateKey.split('\n')[3] ?? privateKey
    expect(JSON.stringify([made, await server.cluster(made.id)])).not.toContain(secret)
  })

  it("on the console's own machine can only be created by admins, as can one for everyone", async () => {
    const data = { manager: 'slurm' as const, transport: 'local' as const, slurmConf: '/tmp/evil.conf' }
    const mine = { name: 'Mine', data }
    expect(await createRefused(ada, mine)).toMatchObject({
      status: 403,
      fields: { 'data.transport': expect.any(String) },
    })
    expect((await createRefused(ada, { name: 'Mine', data: local() })).status).toBe(403)
    expect((await server.refused(api.clusters.test, { body: mine }, { token: ada.token })).status).toBe(403)
    expect(await createRefused(ada, { name: 'All', data: ssh(), forEveryone: true })).toMatchObject({
      status: 403,
      fields: { forEveryone: expect.any(String) },
    })
  })

  it('that was never saved can be tested, and the failing step is named', async () => {
    const test = (cluster: Sent<typeof api.clusters.test>['body']) =>
      server.must(api.clusters.test, { body: cluster }, { token: server.admin })
    const here = await test({ name: 'Here', data: local() })
    expect(here.every(({ ok }) => ok)).toBe(true)
    expect(here.at(-1)).toMatchObject({ step: 'resource manager' })
    // Its own key is created when it is saved; the connection can be tested without it.
    const unsaved = await test({ name: 'There', data: ssh({ host: '127.0.0.1', port: 1 }) })
    expect(unsaved.at(-1)).toMatchObject({ step: 'connect', ok: false })
    const away = ssh({ host: '127.0.0.1', port: 1, key: 'given', privateKey: 'nonsense' })
    for (const call of [api.clusters.test, api.clusters.createLocal])
      expect(
        await server.refused(call, { body: { name: 'There', data: away } }, { token: server.admin }),
      ).toMatchObject({
        status: 400,
        fields: { 'data.head.privateKey': expect.stringContaining('cannot be read') },
      })
    expect((await server.refused(api.clusters.test, {}, { token: server.admin })).status).toBe(400)
  })

  it('at a metadata address is never connected to, in any notation', async () => {
    const notations = ['0.0.0.0', '169.254.169.254', '100.100.100.200', '2852039166', '::ffff:a9fe:a9fe']
    for (const host of [...notations, 'fe80::1']) {
      const reply = await server.must(
        api.clusters.test,
        { body: { name: 'Inside', data: ssh({ host, port: 80 }) } },
        { token: server.admin },
      )
      const forbidden = expect.stringContaining('metadata address, to which the console never connects')
      expect(reply, host).toMatchObject([{ step: 'resolve host', ok: false, message: forbidden }])
    }
  })

  soakIt('is transferred with its jobs when its owner is removed', async () => {
    const leaving = await server.person('leaving')
    const { id } = await create(leaving, { name: 'Heirloom', data: ssh(), collaborators: ['bobby'] })
    const submitted = await server.submit(machine, { script: 'echo mine; sleep 1000' }, leaving.token)
    await server.reached(submitted.id, ['running'], leaving.token)
    const removed = { id: leaving.id }
    const as = { token: server.admin }
    expect((await server.refused(api.users.remove, { body: removed }, as)).status).toBe(409)
    await server.must(api.users.remove, { body: { ...removed, newOwner: bob.id } }, as)
    expect(await server.cluster(id, bob.token)).toMatchObject({
      owner: 'bobby',
      mine: true,
      collaborators: [],
    })
    // Bob can end the running jobs, but he cannot read files in the home of someone who was removed.
    await server.must(
      api.jobs.cancel,
      { body: { job: submitted.id, cluster: machine } },
      { token: bob.token },
    )
    expect(await server.ended(submitted.id, bob.token)).toMatchObject({ state: 'canceled' })
    const output = await server.refused(
      api.jobs.output,
      { job: submitted.jobId, submission: submitted.id, file: 'output.txt' },
      { token: bob.token },
    )
    expect(output).toMatchObject({ status: 409, code: 'no_account' })
    // A new user of the same name has no access to the old files.
    const namesake = await server.person('leaving')
    const files = await server.must(api.files.list, { cluster: machine }, { token: namesake.token })
    expect(files.entries).toEqual([])
  })
})

describe('an uploaded key', () => {
  it('can be added to an account by its owner and admins, but not by the owner of the cluster', async () => {
    const key = (await server.localCluster(machine)).data.publicKey ?? ''
    const uploadTo = (targetUsername: string) => ({ id: machine, body: { sshKey: key, targetUsername } })
    const as = { token: server.admin }
    expect(await server.refused(api.clusters.uploadSshKey, uploadTo('bobby'), as)).toMatchObject({
      status: 403,
      fields: { targetUsername: expect.any(String) },
    })
    await server.must(api.clusters.uploadSshKey, uploadTo('admin'), as)
    await server.must(api.clusters.uploadSshKey, uploadTo('bobby'), { ...as, admin: true })
    const read = () =>
      server.must(
        api.files.readText,
        { cluster: machine, query: { path: '.ssh/authorized_keys' } },
        { token: bob.token },
      )
    expect((await read()).text).toBe(`${key}\n`)
    // Uploading it twice adds it once.
    await server.must(api.clusters.uploadSshKey, uploadTo('bobby'), { ...as, admin: true })
    expect((await read()).text).toBe(`${key}\n`)
    const bad = await server.refused(
      api.clusters.uploadSshKey,
      { id: machine, body: { sshKey: 'command="sh" ssh-rsa AAAA', targetUsername: 'admin' } },
      { token: server.admin },
    )
    expect(bad).toMatchObject({ status: 400, fields: { sshKey: expect.any(String) } })
  })
})
