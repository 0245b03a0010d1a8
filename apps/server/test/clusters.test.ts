import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '@flotilla/contract/clusters'
import type { Submission } from '@flotilla/contract/jobs'
import { processOf } from '../src/executor/processes'
import { Console, type Person } from './console'
import { until } from './until'

const local = (virtualNodes = {}) => ({ manager: 'none', transport: 'local', virtualNodes })
const ssh = (more = {}) => ({
  manager: 'slurm',
  transport: 'ssh',
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

const daemonOf = (id: string) => path.join(server.dataDir, 'clusters', id, 'spool', 'daemon.pid')
const pidOf = async (id: string) => Number((await readFile(daemonOf(id), 'utf8')).split(' ')[0])
/** Whether a process with this word among its arguments is there. */
const runs = (word: string) =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word)
    } catch {
      return false
    }
  })
const create = (person: { token: string }, cluster: object) =>
  server.call<Cluster & Refusal>('POST', '/api/clusters/local', { as: person.token, body: { cluster } })

describe('a cluster', () => {
  it('"This machine" is there after the first start, for everyone but participants', async () => {
    for (const { token } of [ada, bob]) expect((await server.cluster(machine, token)).whyNoSubmit).toBeNull()
    expect((await server.call('GET', `/api/clusters/${machine}`, { as: pupil.token })).status).toBe(404)
    expect(await server.must('GET', '/api/clusters/', { as: pupil.token })).toEqual([])
  })

  it('is seen and used by its owner, its collaborators and admins, and by nobody else', async () => {
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

    // Changing is for the owner, and for an admin who asked for it.
    const body = { cluster: { id, name: 'Renamed', data: ssh(), collaborators: ['bobby', 'pupil'] } }
    const changes: [string, string, unknown][] = [
      ['PUT', '/api/clusters/local', body],
      ['PUT', '/api/clusters/collaborators', { id, collaborators: [] }],
      ['POST', '/api/clusters/deploy', { id }],
      ['POST', '/api/clusters/stop', { id }],
      ['POST', '/api/clusters/start', { id }],
      ['POST', '/api/clusters/destroy', { id }],
      ['POST', '/api/clusters/destroy', { id, resetingState: true }],
      ['POST', '/api/clusters/test', { id }],
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
    const renamed = await server.must<Cluster>('PUT', '/api/clusters/local', {
      as: server.admin,
      body,
      headers: { admin: 'true' },
    })
    expect(renamed).toMatchObject({ name: 'Renamed', owner: 'adalove' })
    // Out again: what one may not see is not there any more.
    await server.must('PUT', '/api/clusters/collaborators', {
      as: ada.token,
      body: { id, collaborators: [] },
    })
    expect(await seen(bob.token)).toBe(404)
  })

  it('is refused with every field that is wrong; its keys never come out', async () => {
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
    const secret = '-----BEGIN OPENSSH PRIVATE KEY-----\nsesame'
    const { json } = await create(ada, { name: 'Given', data: ssh({ key: 'given', privateKey: secret }) })
    expect(JSON.stringify([json, await server.cluster(json.id)])).not.toContain('sesame')
  })

  it("of the console's own machine is made by admins only, and only they open one to everyone", async () => {
    const mine = { name: 'Mine', data: { manager: 'slurm', transport: 'local', slurmConf: '/tmp/evil.conf' } }
    expect(await create(ada, mine)).toMatchObject({
      status: 403,
      json: { fields: { 'data.transport': expect.any(String) } },
    })
    expect((await create(ada, { name: 'Mine', data: local() })).status).toBe(403)
    expect(
      (await server.call('POST', '/api/clusters/test', { as: ada.token, body: { cluster: mine } })).status,
    ).toBe(403)
    expect(await create(ada, { name: 'All', data: ssh(), forEveryone: true })).toMatchObject({
      status: 403,
      json: { fields: { forEveryone: expect.any(String) } },
    })
  })

  it('that was never saved can be tried out, and the step that fails is named', async () => {
    const test = (cluster: object) =>
      server.call<{ step: string; ok: boolean }[]>('POST', '/api/clusters/test', {
        as: server.admin,
        body: { cluster },
      })
    const here = await test({ name: 'Here', data: local() })
    expect(here.json.every(({ ok }) => ok)).toBe(true)
    expect(here.json.at(-1)).toMatchObject({ step: 'resource manager' })
    // Its own key is made when it is saved.
    expect(await test({ name: 'There', data: ssh() })).toMatchObject({
      status: 400,
      json: { fields: { 'data.head.key': expect.any(String) } },
    })
    const away = ssh({ host: '127.0.0.1', port: 1, key: 'given', privateKey: 'nonsense' })
    expect((await test({ name: 'There', data: away })).json.at(-1)).toMatchObject({
      ok: false,
      message: expect.any(String),
    })
    expect((await server.call('POST', '/api/clusters/test', { as: server.admin, body: {} })).status).toBe(400)
  })
})

describe('the key of somebody else', () => {
  it('is put into an account by its owner and by admins, not by whoever made the cluster', async () => {
    const key = (await server.cluster(machine)).data.publicKey
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
      server.must<{ text: string }>('GET', `/api/files/${machine}/text?path=.ssh/authorized_keys`, {
        as: bob.token,
      })
    expect((await read()).text).toBe(`${key}\n`)
    // Twice is once.
    await upload('bobby', { admin: 'true' })
    expect((await read()).text).toBe(`${key}\n`)
    const bad = await server.call<Refusal>('POST', `/api/clusters/${machine}/upload-ssh-key`, {
      as: server.admin,
      body: { sshKey: 'command="sh" ssh-rsa AAAA', targetUsername: 'admin' },
    })
    expect(bad).toMatchObject({ status: 400, json: { fields: { sshKey: expect.any(String) } } })
  })
})

describe('the life of a cluster', () => {
  it('follows the table of states, and every step is in its activities and logs', async () => {
    const id = await server.saved('Living', local({ prefix: 'v', count: 2, cores: 2 }))
    const refused = async (action: string, more = {}) =>
      server.call<Refusal & { state: string }>('POST', `/api/clusters/${action}`, {
        as: server.admin,
        body: { id, ...more },
      })
    expect(await refused('stop')).toMatchObject({
      status: 409,
      json: { code: 'wrong_state', state: 'saved', message: expect.stringContaining('available') },
    })
    expect((await refused('destroy', { resetingState: true })).status).toBe(409)
    expect(
      (
        await server.call('POST', `/api/clusters/${id}/nodes/drain`, {
          as: server.admin,
          body: { nodes: ['v1'] },
        })
      ).status,
    ).toBe(409)
    expect((await server.call('GET', `/api/files/${id}/list`, { as: server.admin })).status).toBe(409)
    await server.act(id, 'deploy')
    expect((await refused('deploy')).status).toBe(409)
    await server.available(id)
    expect((await server.call<Refusal>('DELETE', `/api/clusters/${id}`, { as: server.admin })).status).toBe(
      409,
    )
    const activities = await server.must<{ action: string; actor: string }[]>(
      'GET',
      `/api/clusters/activities/${id}`,
      { as: server.admin },
    )
    expect(activities.map(({ action, actor }) => `${actor} ${action}`)).toEqual([
      'admin deploy done',
      'admin deploy started',
      'admin created',
    ])
    const page = await server.call<unknown[]>('GET', `/api/clusters/activities/${id}?limit=2`, {
      as: server.admin,
    })
    const cursor = page.headers.get('x-next-cursor') ?? ''
    expect(
      await server.must('GET', `/api/clusters/activities/${id}?limit=2&cursor=${cursor}`, {
        as: server.admin,
      }),
    ).toHaveLength(1)
    for (const wrong of ['x', '9'.repeat(30), '-1', '1.5'])
      expect(
        (await server.call('GET', `/api/clusters/activities/${id}?cursor=${wrong}`, { as: server.admin }))
          .status,
      ).toBe(400)
    const log = (query: string) =>
      server.must<{ seq: number; text: string }[]>('GET', `/api/clusters/logs/${id}/deploy?${query}`, {
        as: server.admin,
      })
    const [first, ...rest] = await log('')
    expect(await log(`after=${first?.seq}`)).toEqual(rest)
    expect((await log('search=VIRTUAL')).map(({ text }) => text)).toEqual([
      'Setting up 2 virtual nodes with 2 cores and 0 GPUs each',
    ])
    for (const odd of ['after=1.5', 'after=-3', 'after=1e300', 'search=%25']) await log(odd)
    for (const odd of ['1e20', '-5', '0.5'])
      await server.must('GET', `/api/clusters/${id}/load?since=${odd}`, { as: server.admin })
  })

  it('an edit of a deployed one sets its nodes up anew, and keeps what runs', async () => {
    const id = await server.deployed('Edited', local({ prefix: 'e', count: 1, cores: 2 }))
    const running = await server.submit(id, { script: 'sleep 4' })
    await server.reached(running.id, ['running'])
    const edit = (data: object, more = {}) =>
      server.call<Cluster & Refusal>('PUT', '/api/clusters/local', {
        as: server.admin,
        body: { cluster: { id, name: 'Edited', data, ...more } },
      })
    expect((await edit(local({ prefix: 'e', count: 3, cores: 4 }))).json.info.state).toBe('updating')
    expect(await server.settled(id)).toMatchObject({
      info: { state: 'available' },
      nodes: { total: 3 },
      largestNode: { cores: 4 },
    })
    // Words alone change nothing on the machine.
    expect(
      (await edit(local({ prefix: 'e', count: 3, cores: 4 }), { description: 'words' })).json.info.state,
    ).toBe('available')
    expect(await edit({ manager: 'slurm', transport: 'local' })).toMatchObject({
      status: 409,
      json: { fields: { 'data.manager': expect.any(String) } },
    })
    expect(await server.ended(running.id)).toMatchObject({ state: 'completed' })
    // Of a stopped one it stays stopped.
    await server.act(id, 'stop')
    await server.settled(id)
    await edit(local({ prefix: 'e', count: 2, cores: 4 }))
    expect(await server.settled(id)).toMatchObject({
      info: { state: 'stopped' },
      nodes: { total: 2, offline: 2 },
    })
  })

  it('ends with everything it had: jobs, executor and spool; and can begin anew', async () => {
    const id = await server.deployed('Ending', local({ prefix: 'd', cores: 2 }))
    const script = 'sleep 1000 & echo $!; wait'
    const [one, two] = [await server.submit(id, { script }), await server.submit(id, { script, cores: 2 })]
    await server.reached(one.id, ['running'])
    await server.act(id, 'stop')
    await server.settled(id)
    const pid = await pidOf(id)
    await server.act(id, 'destroy')
    expect(await server.settled(id)).toMatchObject({
      info: { state: 'destroyed' },
      nodes: { total: 0 },
      queue: { total: 0 },
    })
    for (const each of [one, two])
      expect(await server.submission(each.id)).toMatchObject({
        state: 'canceled',
        endedAt: expect.any(Number),
      })
    await until(() => !processOf(pid))
    expect(existsSync(path.dirname(daemonOf(id)))).toBe(false)
    // The nodes that were out of service when it ended are not when it begins anew.
    await server.act(id, 'deploy')
    await server.available(id)
    const again = await server.submit(id, { script: 'echo again' })
    expect(await server.ended(again.id)).toMatchObject({ state: 'completed' })
    await server.act(id, 'destroy')
    await server.settled(id)
    await server.must('DELETE', `/api/clusters/${id}`, { as: server.admin })
    expect((await server.call('GET', `/api/clusters/${id}`, { as: server.admin })).status).toBe(404)
    expect(existsSync(path.join(server.dataDir, 'clusters', id))).toBe(false)
    // The history stays and says where it was.
    expect(await server.submission(again.id)).toMatchObject({ cluster: { name: 'Ending' } })
    expect(await server.must('GET', `/api/jobs/outputs/${again.jobId}`, { as: server.admin })).toBeNull()
  })

  it('that hangs can be forced to its end', async () => {
    const id = await server.deployed('Hanging', local({ prefix: 'h' }))
    const marked = `${1000 + Math.random()}`
    const running = await server.submit(id, { script: `echo $$; sleep ${marked}` })
    await server.reached(running.id, ['running'])
    const pid = await pidOf(id)
    await server.wrote(running, /^\d+\n$/)
    process.kill(pid, 'SIGSTOP')
    await server.act(id, 'destroy')
    expect((await server.cluster(id)).info.state).toBe('destroying')
    await server.act(id, 'destroy', { resetingState: true })
    expect((await server.settled(id)).info).toMatchObject({ state: 'destroyed' })
    expect(await server.submission(running.id)).toMatchObject({ state: 'lost', reason: expect.stringContaining('detached') })
    // Neither it nor its job is left behind.
    await until(() => !processOf(pid) && !runs(marked))
    // What hung comes to itself and changes nothing.
    expect((await server.cluster(id)).info).toMatchObject({ state: 'destroyed' })
  })

  it('is handed on when its owner is removed, with the jobs', async () => {
    const leaving = await server.person('leaving')
    const { json } = await create(leaving, { name: 'Heirloom', data: ssh() })
    const submitted = await server.submit(machine, { script: 'echo mine; sleep 1000' }, leaving.token)
    await server.reached(submitted.id, ['running'], leaving.token)
    const remove = (body: object) =>
      server.call<Refusal>('PUT', '/api/users/remove', {
        as: server.admin,
        body: { id: leaving.id, ...body },
      })
    expect((await remove({})).status).toBe(409)
    const { status, json: said } = await remove({
      newOwner: bob.id,
      newOwnerId: bob.id,
      successor: bob.id,
      to: bob.id,
    })
    expect([status, said.message]).toEqual([200, said.message])
    expect(await server.cluster(json.id, bob.token)).toMatchObject({ owner: 'bobby', mine: true })
    // Bob ends what still runs; what lies in the home of somebody who is gone is not his.
    await server.must<Submission>('POST', '/api/jobs/cancel', {
      as: bob.token,
      body: { job: submitted.id, cluster: machine },
    })
    expect(await server.ended(submitted.id, bob.token)).toMatchObject({ state: 'canceled' })
    const output = await server.call<Refusal>(
      'GET',
      `/api/jobs/output/${submitted.jobId}/${submitted.id}/output.txt`,
      { as: bob.token },
    )
    expect(output).toMatchObject({ status: 409, json: { code: 'no_account' } })
    // Somebody new of the same name is somebody else.
    const namesake = await server.person('leaving')
    const files = await server.must<{ entries: unknown[] }>('GET', `/api/files/${machine}/list`, {
      as: namesake.token,
    })
    expect(files.entries).toEqual([])
  })
})
