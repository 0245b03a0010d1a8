import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personsAccount } from './named-accounts'
import { newPerson, PASSWORD, testApp, type TestApp } from '../../../../test/support/app/app'

describe('an account of the same name', () => {
  it.each([
    ['a person’s', 'alice:x:1001:1001:Alice:/home/alice:/bin/bash', true],
    ['a person’s in the directory of a site', 'alice:x:187654:100:Alice:/home/alice:/bin/tcsh', true],
    ['the system’s own', 'alice:x:113:120::/var/lib/alice:/bin/bash', false],
    ['a daemon’s', 'alice:x:64030:64030::/nonexistent:/bin/sh', false],
    ['the account nobody', 'alice:x:65534:65534:nobody:/nonexistent:/bin/sh', false],
    ['one without a login shell', 'alice:x:1001:1001::/srv:/usr/sbin/nologin', false],
    ['someone else’s', 'alicia:x:1001:1001::/home/alicia:/bin/bash', false],
    ['none', '', false],
  ])('%s is accepted or rejected: %s', (_, line, taken) => {
    const look = () => personsAccount(line, 'alice', 'the head node')
    if (taken) expect(look()).toMatchObject({ username: 'alice' })
    else expect(look).toThrow('No personal account named alice on the head node')
  })
})

describe('someone who registered themselves', () => {
  let server: TestApp
  beforeAll(async () => (server = await testApp()))
  afterAll(() => server.close())

  it('acts as the account of their name only where someone shared the cluster with them', async () => {
    const admin = await server.person('boss', ['admin', 'user'])
    const known = await server.person('knownuser', ['user'])
    const { role: _role, ...form } = newPerson('stranger', [])
    expect((await server.call('POST', '/api/auth/register', { body: form })).status).toBe(201)
    const stranger = await server.login('stranger', PASSWORD)
    const head = { host: '127.0.0.1', port: 1, username: 'keeper', accounts: 'sudo' }
    const data = { manager: 'slurm', transport: 'ssh', head }
    const cluster = { name: 'Site', forEveryone: true, data }
    const made = await server.call('POST', '/api/clusters/local', { as: admin.token, body: { cluster } })
    const { id } = made.json as { id: string }
    await server.db.kysely.updateTable('clusters').set({ state: 'available' }).where('id', '=', id).execute()
    const why = async (as: string) =>
      (
        (await server.call('GET', `/api/clusters/${id}`, { as })).json as {
          submitBlockedReason: string | null
        }
      ).submitBlockedReason
    expect(await why(known.token)).toBeNull()
    expect(await why(stranger)).toContain('share it with you')
    expect(await server.call('GET', `/api/files/${id}/list`, { as: stranger })).toMatchObject({
      status: 409,
      json: { code: 'no_account' },
    })
    const body = { id, collaborators: ['stranger'] }
    await server.call('PUT', '/api/clusters/collaborators', { as: admin.token, body })
    expect(await why(stranger)).toBeNull()
  })
})
