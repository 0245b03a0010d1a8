import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
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
type Refusal = { code: string; message: string; fields?: Record<string, string> }

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

const create = (person: { token: string }, cluster: object) =>
  server.call<LocalCluster & Refusal>('POST', '/api/clusters/local', { as: person.token, body: { cluster } })

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
    const { status, json: made } = await create(ada, {
      name: 'Adas',
      data: ssh(),
      collaborators: ['bobby', 'pupil'],
    })
    expect(status).toBe(201)
    expect(made).toMatchObject({
      owner: 'adalove',
      mine: true,
      collaborators: ['bobby', 'pupil'],
      info: { state: 'saved' },
    })
    expect(made.data.publicKey).toMatch(/^ssh-ed25519 /)
    const { id } = made
    const seen = async (token: string) =>
      (await server.call('GET', `/api/clusters/${id}`, { as: token })).status
    expect(
      await Promise.all([ada, bob, pupil, { token: server.admin }, eve].map(({ token }) => seen(token))),
    ).toEqual([200, 200, 200, 200, 404])
    const reads = ['', '/queue', '/nodes', '/load'].map((part) => `/api/clusters/${id}${part}`)
    for (const route of [
      ...reads,
      `/api/clusters/activities/${id}`,
      `/api/clusters/logs/${id}/deploy`,
      `/api/clusters/node/${id}/n1`,
    ]) {
      expect((await server.call('GET', route, { as: eve.token })).status, route).toBe(404)
      expect([200, 404], route).toContain((await server.call('GET', route, { as: bob.token })).status)
    }
    expect((await server.cluster(id, bob.token)).mine).toBe(false)

    // Only the owner may change it, and admins with admin scope.
    const cluster = { id, name: 'Renamed', data: ssh(), collaborators: ['bobby', 'pupil'] }
    const changes: [string, string, unknown][] = [
      ['PUT', '/api/clusters/local', { cluster }],
      ['PUT', '/api/clusters/collaborators', { id, collaborators: [] }],
      ['POST', '/api/clusters/deploy', { id }],
      ['POST', '/api/clusters/stop', { id }],
      ['POST', '/api/clusters/start', { id }],
      ['POST', '/api/clusters/destroy', { id }],
      ['POST', '/api/clusters/destroy', { id, resetingState: true }],
      ['POST', '/api/clusters/test', { id }],
      ['GET', `/api/clusters/${id}/host-key`, undefined],
      ['POST', `/api/clusters/${id}/host-key`, { fingerprint: `SHA256:${'a'.repeat(43)}` }],
      ['POST', `/api/clusters/${id}/nodes/drain`, { nodes: ['n1'] }],
      ['POST', `/api/clusters/${id}/nodes/resume`, { nodes: ['n1'] }],
      ['POST', `/api/clusters/${id}/queue/cancel`, { jobs: ['1'] }],
      [
        'POST',
        `/api/clusters/${id}/upload-ssh-key`,
        { sshKey: made.data.publicKey, targetUsername: 'keeper' },
      ],
      ['DELETE', `/api/clusters/${id}`, undefined],
    ]
    for (const [method, route, sent] of changes) {
      const as = async (token: string, headers?: Record<string, string>) => {
        const { status: answered, json } = await server.call<Refusal>(method, route, {
          as: token,
          body: sent,
          ...(headers && { headers }),
        })
        return `${answered} ${json.code}`
      }
      expect(await as(eve.token), route).toBe('404 not_found')
      expect(await as(bob.token), route).toBe('403 forbidden')
      expect(await as(bob.token, { admin: 'true' }), route).toBe('403 forbidden')
      expect(await as(pupil.token), route).toBe('403 forbidden')
      expect(await as(server.admin), route).toBe('403 admin_scope_needed')
    }
    const key = (token: string) => server.call('GET', `/api/clusters/downloadSSHKey/${id}`, { as: token })
    expect((await key(bob.token)).status).toBe(403)
    expect((await key(eve.token)).status).toBe(404)
    expect((await key(ada.token)).json).toContain('PRIVATE KEY')
    const renamed = await server.must(
      api.clusters.updateLocal,
      { body: cluster },
      { token: server.admin, admin: true },
    )
    expect(renamed).toMatchObject({ name: 'Renamed', owner: 'adalove' })
    // No longer shared: what one may not see does not exist.
    await server.must(api.clusters.collaborators, { body: { id, collaborators: [] } }, { token: ada.token })
    expect(await seen(bob.token)).toBe(404)
  })

  it('is rejected with all invalid fields; its keys are never returned', async () => {
    const bad = await create(ada, {
      name: '!',
      data: { manager: 'slurm', transport: 'ssh', head: { host: 'a b', username: 'Root User', port: 0 } },
    })
    expect(bad.status).toBe(400)
    const fields = Object.keys(bad.json.fields ?? {}).toSorted()
    expect(fields).toEqual([
      'cluster.data.head.host',
      'cluster.data.head.port',
      'cluster.data.head.username',
      'cluster.name',
    ])
    const unknown = await create(ada, { name: 'Who', data: ssh(), collaborators: ['nobodyatall'] })
    expect(unknown).toMatchObject({
      status: 400,
      json: { fields: { collaborators: expect.stringContaining('nobodyatall') } },
    })
    expect(
      await create(ada, { name: 'Headless', data: { manager: 'slurm', transport: 'ssh' } }),
    ).toMatchObject({ status: 400, json: { fields: { 'data.head': expect.any(String) } } })
    expect((await create(ada, { name: 'Keyless', data: ssh({ key: 'given' }) })).status).toBe(400)
    const { privateKey } = makeSshKey('given')
    const { json } = await create(ada, { name: 'Given', data: ssh({ key: 'given', privateKey }) })
    const secret = privateKey.split('\n')[3] ?? privateKey
    expect(JSON.stringify([json, await server.cluster(json.id)])).not.toContain(secret)
  })

  it("on the console's own machine can only be created by admins, as can one for everyone", async () => {
    const data = { manager: 'slurm' as const, transport: 'local' as const, slurmConf: '/tmp/evil.conf' }
    const mine = { name: 'Mine', data }
    expect(await create(ada, mine)).toMatchObject({
      status: 403,
      json: { fields: { 'data.transport': expect.any(String) } },
    })
    expect((await create(ada, { name: 'Mine', data: local() })).status).toBe(403)
    expect((await server.refused(api.clusters.test, { body: mine }, { token: ada.token })).status).toBe(403)
    expect(await create(ada, { name: 'All', data: ssh(), forEveryone: true })).toMatchObject({
      status: 403,
      json: { fields: { forEveryone: expect.any(String) } },
    })
  })

  it('that was never saved can be tested, and the step that fails is named', async () => {
    const test = (cluster: Sent<typeof api.clusters.test>['body']) =>
      server.must(api.clusters.test, { body: cluster }, { token: server.admin })
    const here = await test({ name: 'Here', data: local() })
    expect(here.every(({ ok }) => ok)).toBe(true)
    expect(here.at(-1)).toMatchObject({ step: 'resource manager' })
    // Its own key is created when it is saved; the connection is tested all the same.
    const unsaved = await test({ name: 'There', data: ssh({ host: '127.0.0.1', port: 1 }) })
    expect(unsaved.at(-1)).toMatchObject({ step: 'connect', ok: false })
    const away = ssh({ host: '127.0.0.1', port: 1, key: 'given', privateKey: 'nonsense' })
    for (const path of ['/api/clusters/test', '/api/clusters/local'])
      expect(
        await server.call('POST', path, {
          as: server.admin,
          body: { cluster: { name: 'There', data: away } },
        }),
      ).toMatchObject({
        status: 400,
        json: { fields: { 'data.head.privateKey': expect.stringContaining('cannot be read') } },
      })
    expect((await server.refused(api.clusters.test, {}, { token: server.admin })).status).toBe(400)
  })

  it('is never connected to at a metadata address, in any notation', async () => {
    const ways = ['0.0.0.0', '169.254.169.254', '100.100.100.200', '2852039166', '::ffff:a9fe:a9fe']
    for (const host of [...ways, 'fe80::1']) {
      const reply = await server.must(
        api.clusters.test,
        { body: { name: 'Inside', data: ssh({ host, port: 80 }) } },
        { token: server.admin },
      )
      const reserved = expect.stringContaining('is reserved for the machine itself')
      expect(reply, host).toMatchObject([{ step: 'resolve host', ok: false, message: reserved }])
    }
  })

  soakIt('is transferred with its jobs when its owner is removed', async () => {
    const leaving = await server.person('leaving')
    const { json } = await create(leaving, { name: 'Heirloom', data: ssh(), collaborators: ['bobby'] })
    const submitted = await server.submit(machine, { script: 'echo mine; sleep 1000' }, leaving.token)
    await server.reached(submitted.id, ['running'], leaving.token)
    const remove = (body: object) =>
      server.call<Refusal>('PUT', '/api/users/remove', {
        as: server.admin,
        body: { id: leaving.id, ...body },
      })
    expect((await remove({})).status).toBe(409)
    expect((await remove({ newOwner: bob.id })).status).toBe(200)
    expect(await server.cluster(json.id, bob.token)).toMatchObject({
      owner: 'bobby',
      mine: true,
      collaborators: [],
    })
    // Bob can end running jobs, but files in the home of someone who was removed are not his.
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
    // A new user of the same name is someone else.
    const namesake = await server.person('leaving')
    const files = await server.must(api.files.list, { cluster: machine }, { token: namesake.token })
    expect(files.entries).toEqual([])
  })
})

describe('someone else’s key', () => {
  it('is added to an account by its owner and by admins, not by the owner of the cluster', async () => {
    const key = (await server.localCluster(machine)).data.publicKey
    const upload = (targetUsername: string, headers = {}) =>
      server.call<Refusal>('POST', `/api/clusters/${machine}/upload-ssh-key`, {
        as: server.admin,
        body: { sshKey: key, targetUsername },
        headers,
      })
    expect(await upload('bobby')).toMatchObject({
      status: 403,
      json: { fields: { targetUsername: expect.any(String) } },
    })
    expect((await upload('admin')).status).toBe(200)
    expect((await upload('bobby', { admin: 'true' })).status).toBe(200)
    const read = () =>
      server.must(
        api.files.readText,
        { cluster: machine, query: { path: '.ssh/authorized_keys' } },
        { token: bob.token },
      )
    expect((await read()).text).toBe(`${key}\n`)
    // Uploading it twice adds it once.
    await upload('bobby', { admin: 'true' })
    expect((await read()).text).toBe(`${key}\n`)
    const bad = await server.refused(
      api.clusters.uploadSshKey,
      { id: machine, body: { sshKey: 'command="sh" ssh-rsa AAAA', targetUsername: 'admin' } },
      { token: server.admin },
    )
    expect(bad).toMatchObject({ status: 400, fields: { sshKey: expect.any(String) } })
  })
})
