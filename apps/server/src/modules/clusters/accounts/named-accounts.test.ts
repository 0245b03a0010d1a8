import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personsAccount } from './named-accounts'
import { newPerson, PASSWORD, testApp, type TestApp } from '../../../../test/support/app/app'

describe('the account', () => {
  it.each([
    ['of a person', 'alice:x:1001:1001:Alice:/home/alice:/bin/bash', true],
    ['of a person in a site directory', 'alice:x:187654:100:Alice:/home/alice:/bin/tcsh', true],
    ['of the system', 'alice:x:113:120::/var/lib/alice:/bin/bash', false],
    ['of a daemon', 'alice:x:64030:64030::/nonexistent:/bin/sh', false],
    ['of the user nobody', 'alice:x:65534:65534:nobody:/nonexistent:/bin/sh', false],
    ['without a login shell', 'alice:x:1001:1001::/srv:/usr/sbin/nologin', false],
    ['of someone else', 'alicia:x:1001:1001::/home/alicia:/bin/bash', false],
    ['that does not exist', '', false],
  ])('%s is accepted: %s', (_, line, accepted) => {
    const check = () => personsAccount(line, 'alice', 'the head node')
    if (accepted) expect(check()).toMatchObject({ username: 'alice' })
    else expect(check).toThrow('No personal account named alice on the head node')
  })
})

describe('someone who registered themselves', () => {
  let server: TestApp
  beforeAll(async () => (server = await testApp()))
  afterAll(() => server.close())

  it('can act as the account of the same name only where someone shared the cluster with them', async () => {
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
    const blockedReason = async (as: string) =>
      (await server.must(api.clusters.view, { id }, { token: as })).submitBlockedReason
    expect(await blockedReason(known.token)).toBeNull()
    expect(await blockedReason(stranger)).toContain('share it with you')
    expect(await server.refused(api.files.list, { cluster: id }, { token: stranger })).toMatchObject({
      status: 409,
      code: 'no_account',
    })
    const body = { id, collaborators: ['stranger'] }
    await server.must(api.clusters.collaborators, { body }, { token: admin.token })
    expect(await blockedReason(stranger)).toBeNull()
  })
})
