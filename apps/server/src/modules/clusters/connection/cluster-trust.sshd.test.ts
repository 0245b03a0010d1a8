import { api } from '@flotilla/contract/api'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import { BrowserSocket } from '../../../../test/support/console/browser-socket'
import { Console, type Person } from '../../../../test/support/console/console'
import { inSoak, soakIt } from '../../../../test/support/soak'
import { startHostileHead, type HostileHead } from '../../../../test/support/machines/hostile-head'
import { until } from '../../../../test/support/until'

let folder: string
let head: HostileHead
let server: Console
let owner: Person
let bob: Person
let cluster: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-trust-'))
  ;[head, server] = await Promise.all([startHostileHead(folder), Console.start()])
  await server.must(api.settings.setSecurity, { body: { privateHeadNodes: true } }, { token: server.admin })
  owner = await server.person('mallory')
  bob = await server.person('bobby')
  cluster = await attach({ name: 'Trap', collaborators: ['bobby'] })
})
afterAll(async () => {
  await server.stop()
  await head.close()
  await rm(folder, { recursive: true, force: true })
})

const data = (more = {}) => ({
  manager: 'torque' as const,
  transport: 'ssh' as const,
  head: {
    host: head.host,
    port: head.port,
    username: 'keeper',
    key: 'given' as const,
    privateKey: head.privateKey,
    ...more,
  },
})
const attach = async (input: { name: string; collaborators?: string[] }, as = owner) => {
  const body = { data: data(), ...input }
  const { id } = await server.must(api.clusters.createLocal, { body }, { token: as.token })
  await server.must(api.clusters.deploy, { body: { id } }, { token: as.token })
  return server.available(id)
}
const edit = async (id: string, more: object, head_: object = {}) => {
  const input = { id, name: 'Trap', collaborators: ['bobby'], data: data(head_), ...more }
  await server.must(api.clusters.updateLocal, { body: input }, { token: owner.token })
  await server.available(id)
}
const seenBy = async (person: Person, id = cluster) =>
  (await server.cluster(id, person.token)) as LocalCluster
const decide = (person: Person, body: Sent<typeof api.clusters.accept>['body'], id = cluster) =>
  server.answer(api.clusters.accept, { id, body }, { token: person.token })
const accept = async (person: Person, id = cluster) =>
  decide(person, { accept: true, connection: (await seenBy(person, id)).acceptance?.connection ?? '' }, id)
const list = (person: Person, id = cluster) =>
  server.answer(api.files.list, { cluster: id }, { token: person.token })

/** Each person submits the same job repeatedly. */
const jobs = new Map<string, Promise<string>>()
async function submit(person: Person) {
  const job = jobs.get(person.username) ?? server.job({ script: 'true', cores: 2 }, person.token)
  jobs.set(person.username, job)
  const body = { id: await job, cluster }
  return server.answer(api.jobs.submit, { body }, { token: person.token })
}

/** Checks that everything that would use a collaborator's account there is refused, and that no one logs in. */
async function nothingRunsAs(person: Person, reason: string): Promise<void> {
  head.used.length = 0
  const calls = [
    submit(person),
    list(person),
    server.answer(api.files.writeText, { cluster, body: { path: 'x', text: 'y' } }, { token: person.token }),
  ]
  for (const { status, json } of await Promise.all(calls)) {
    expect(status, json.message).toBe(409)
    expect(json.message).toContain(reason)
  }
  const browser = await BrowserSocket.open(server.url, person.token)
  await expect(browser.terminal(cluster)).rejects.toThrow(reason)
  browser.socket.disconnect()
  expect((await seenBy(person)).submitBlockedReason).toContain(reason)
  expect(head.used).not.toContain(person.username)
}

describe('an attached cluster that an ordinary person shares', () => {
  it('runs nothing as a collaborator before they accept', async () => {
    expect((await seenBy(bob)).acceptance).toMatchObject({ accepted: false, changed: false, shared: true })
    await nothingRunsAs(bob, 'mallory shared this cluster with you. Accept it')
    expect((await seenBy(owner)).acceptance).toBeNull()
    expect((await list(owner)).status).toBe(200)
  })

  it('can only be accepted with the settings that the person saw', async () => {
    expect((await decide(bob, { accept: true, connection: 'a'.repeat(64) })).status).toBe(409)
    const route = api.clusters.accept.path.replace(':id', cluster)
    const unseen = await server.call('PUT', route, { as: bob.token, body: { accept: true } })
    expect(unseen.status).toBe(400)
    await nothingRunsAs(bob, 'Accept it')
  })

  it('works after they accept', async () => {
    expect((await accept(bob)).status).toBe(200)
    expect(await seenBy(bob)).toMatchObject({ acceptance: { accepted: true }, submitBlockedReason: null })
    expect((await list(bob)).status).toBe(200)
    expect(head.used).toContain('bobby')
    const browser = await BrowserSocket.open(server.url, bob.token)
    const terminal = await browser.terminal(cluster)
    await browser.type(terminal, 'echo wor""ks', /works/)
    browser.socket.disconnect()
    expect(await submit(bob)).toMatchObject({ status: 201 })
  })

  it('shows that the login account sees no one else’s jobs, and what would change that', async () => {
    const shown = await until(async () => (await seenBy(owner)).hiddenJobs)
    expect(shown).toContain('qmgr -c "set server query_other_jobs = True"')
  })

  const moved = async () => edit(cluster, {}, { port: await head.move() })
  // The order matters: the next tests rely on the settings that the last change leaves.
  const changes: [string, () => Promise<unknown>][] = [
    ...inSoak<[string, () => Promise<unknown>]>([
      ['its accounts are used through sudo', () => edit(cluster, {}, { accounts: 'sudo' })],
      ['its admin account changes', () => edit(cluster, {}, { accounts: 'sudo', username: 'watcher' })],
    ]),
    ['its head node moves', moved],
    ...inSoak<[string, () => Promise<unknown>]>([
      ['its host key changes and the owner accepts it', acceptNewHostKey],
    ]),
  ]
  it.each(changes)('has to be accepted again when %s', async (_what, change) => {
    await change()
    await nothingRunsAs(bob, 'The connection settings of this cluster have changed')
    expect((await seenBy(bob)).acceptance).toMatchObject({ accepted: false, changed: true })
    expect((await accept(bob)).status).toBe(200)
    expect((await list(bob)).status).toBe(200)
    expect((await submit(bob)).status).toBe(201)
    expect(head.used).toContain('bobby')
  })

  soakIt('has to be accepted by admins too, however they got access', async () => {
    const admin: Person = { id: '', username: 'admin', token: server.admin }
    await nothingRunsAs(admin, 'Accept it')
    expect((await seenBy(admin)).acceptance).toMatchObject({ shared: false })
    // An admin who shares it with everyone does not accept it for anyone else.
    const eve = await server.person('evelyn')
    const input = { id: cluster, name: 'Trap', collaborators: ['bobby'], forEveryone: true, data: data() }
    await server.must(api.clusters.updateLocal, { body: input }, { token: server.admin, admin: true })
    await server.available(cluster)
    await nothingRunsAs(eve, 'Accept it')
    expect((await list(bob)).status).toBe(200)
  })

  it.each(inSoak(['key' as const, 'sudo' as const]))(
    'uses the account that an admin mapped a person to, with a name shorter than any username, by %s',
    async (accounts) => {
      const short = await server.person(`jonathan${accounts}`)
      const id = await attach({ name: `Mapped by ${accounts}`, collaborators: [short.username] })
      const input = { id, name: 'Mapped', collaborators: [short.username], data: data({ accounts }) }
      await server.must(api.clusters.updateLocal, { body: input }, { token: owner.token })
      await server.available(id)
      await accept(short, id)
      const map = (unixAccount: string | null) =>
        server.must(
          api.users.update,
          { body: { id: short.id, unixAccount } },
          { token: server.admin, admin: true },
        )
      await map(`j${accounts[0]}`)
      head.used.length = 0
      expect((await list(short, id)).status).toBe(200)
      expect(head.used).toContain(`j${accounts[0]}`)
      const job = await server.job({ script: 'true' }, short.token)
      const body = { id: job, cluster: id }
      await server.must(api.jobs.submit, { body }, { token: short.token })
      expect(head.used).not.toContain(short.username)
      // The open connection is no longer used.
      await map(null)
      expect((await list(short, id)).status).toBe(200)
      expect(head.used).toContain(short.username)
    },
  )

  it('cannot be accepted before the first connection', async () => {
    const body = { name: 'Later', data: data(), collaborators: ['bobby'] }
    const { id } = await server.must(api.clusters.createLocal, { body }, { token: owner.token })
    expect((await seenBy(bob, id)).acceptance).toMatchObject({ accepted: false, connection: null })
    expect((await accept(bob, id)).status).toBe(400)
  })

  it('disappears for a collaborator who declines', async () => {
    const other = await attach({ name: 'Unwanted', collaborators: ['bobby'] })
    expect((await decide(bob, { accept: false }, other)).status).toBe(200)
    expect((await server.refused(api.clusters.view, { id: other }, { token: bob.token })).status).toBe(404)
    expect((await seenBy(owner, other)).collaborators).toEqual([])
    const stranger = await server.person('stranger')
    expect((await decide(stranger, { accept: false }, other)).status).toBe(404)
    const [last] = await server.must(api.clusters.activities, { id: other }, { token: owner.token })
    expect(last).toMatchObject({ actor: 'bobby', action: 'sharing declined' })
  })

  soakIt('has to be accepted again when it is transferred, unless to an admin', async () => {
    const leaving = await server.person('leaving')
    const heir = await server.person('heiress')
    const id = await attach({ name: 'Heirloom', collaborators: ['bobby'] }, leaving)
    expect((await accept(bob, id)).status).toBe(200)
    const hand = (from: Person, to: Person) =>
      server.must(api.users.remove, { body: { id: from.id, newOwner: to.id } }, { token: server.admin })
    await hand(leaving, heir)
    expect((await seenBy(bob, id)).acceptance).toMatchObject({ accepted: false, changed: true })
    expect((await list(bob, id)).status).toBe(409)
    await hand(heir, await server.person('chief', ['admin', 'user']))
    expect((await seenBy(bob, id)).acceptance).toBeNull()
    expect((await list(bob, id)).status).toBe(200)
  })

  soakIt('does not have to be accepted while its owner is an admin', async () => {
    const chief = await server.person('formerchief', ['admin', 'user'])
    const id = await attach({ name: 'Official', collaborators: ['bobby'] }, chief)
    expect((await seenBy(bob, id)).acceptance).toBeNull()
    expect((await list(bob, id)).status).toBe(200)
    await server.sql('update users set role = $1 where id = $2', [['user'], chief.id])
    expect((await list(bob, id)).status).toBe(409)
  })
})

it('programs in a folder that an ordinary owner chose are not run until an admin saves it', async () => {
  const id = await attach({ name: 'Programs' })
  const evil = path.join(folder, 'evil')
  const ran = path.join(folder, 'ran')
  await mkdir(evil)
  for (const program of ['qstat', 'pbsnodes'])
    await writeFile(path.join(evil, program), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  // Simulates a folder that was saved before this was restricted to admins.
  const set = `update clusters set data = jsonb_set(data, '{head,binFolder}', to_jsonb($1::text)) where id = $2`
  await server.sql(set, [evil, id])
  expect((await seenBy(owner, id)).data).toMatchObject({ head: { binFolder: evil }, pathsConfirmed: false })
  const polls = async () => {
    const since = Date.now()
    await until(async () => ((await server.cluster(id)).freshness.polledAt ?? 0) > since)
  }
  await polls()
  await polls()
  expect(existsSync(ran)).toBe(false)
  const input = { id, name: 'Programs', data: data({ binFolder: evil }) }
  await server.must(api.clusters.updateLocal, { body: input }, { token: server.admin, admin: true })
  await until(() => existsSync(ran))
})

async function acceptNewHostKey(): Promise<void> {
  await head.changeHostKey()
  const { shown } = await server.must(api.clusters.hostKey, { id: cluster }, { token: owner.token })
  const body = { fingerprint: shown }
  await server.must(api.clusters.acceptHostKey, { id: cluster, body }, { token: owner.token })
}
