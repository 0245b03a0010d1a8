import { api } from '@flotilla/contract/api'
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
    await server.must(api.auth.register, { body: form })
    const stranger = await server.login('stranger', PASSWORD)
    const head = { host: '127.0.0.1', port: 1, username: 'keeper', accounts: 'sudo' as const }
    const data = { manager: 'slurm' as const, transport: 'ssh' as const, head }
    const cluster = { name: 'Site', forEveryone: true, data }
    const { id } = await server.must(api.clusters.createLocal, { body: cluster }, { token: admin.token })
    await server.db.kysely.updateTable('clusters').set({ state: 'available' }).where('id', '=', id).execute()
    const why = async (as: string) =>
      (await server.must(api.clusters.view, { id }, { token: as })).submitBlockedReason
    expect(await why(known.token)).toBeNull()
    expect(await why(stranger)).toContain('share it with you')
    expect(await server.refused(api.files.list, { cluster: id }, { token: stranger })).toMatchObject({
      status: 409,
      code: 'no_account',
    })
    const body = { id, collaborators: ['stranger'] }
    await server.must(api.clusters.collaborators, { body }, { token: admin.token })
    expect(await why(stranger)).toBeNull()
  })
})
