import { api } from '@flotilla/contract/api'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { openRhelKey, sealStoredKeys } from './workspace/rhel-key'
import { madeFrom } from '../wanted-nodes'
import * as store from '../store'
import { notePlace } from '../../leftovers/store'
import { found } from '../../../providers/found'
import type { FoundResource } from '../../../providers/provider'
import { openMasterKey, type Secrets } from '../../../secrets/secrets'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import { driverWith } from '../../../../test/support/clouds/cloud-driver'
import {
  awsCredential,
  cloudRow,
  machine,
  cloudClusterOf,
  setMachines,
} from '../../../../test/support/modules/cloud-row'
import { leaks, recordAnswers } from '../../../../test/support/app/secrets'

// These tests cover who may use which cloud resources, and what is stored about them.

/** What exists in the cloud, and what was removed from it. */
let inCloud: FoundResource[] = []
const removed: string[] = []
const driver = driverWith({
  find: async () => inCloud,
  remove: async ({ id }) => void removed.push(id),
})

let app: TestApp
let secrets: Secrets
let admin: { id: string; token: string }
let recorded: ReturnType<typeof recordAnswers>
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' }, { clouds: { driver: async () => driver } })
  recorded = recordAnswers(app)
  secrets = await openMasterKey(path.join(app.dataDir, 'master.key'))
  admin = await app.person('admin', ['admin'])
})
afterAll(() => app.close())

const inputOf = ({ name, provider, credential_id, info, data }: CloudCluster, more: object) => ({
  name,
  provider,
  credential_id: credential_id ?? '',
  info,
  data: { ...data, ...more },
})

const KEY = 'an-activation-key-of-rhel'
test('the RHEL activation key is stored sealed and never returned', async () => {
  const rhel = { rhel_organization_id: '4242', rhel_activation_key: KEY }
  const id = await cloudRow(app, admin.token, { data: rhel })
  const sealed = await cloudClusterOf(app, id)
  expect(JSON.stringify(sealed)).not.toContain(KEY)
  expect(openRhelKey(secrets, sealed)).toBe(KEY)
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1')])
  const view = CloudCluster.parse(await app.must(api.clusters.view, { id }, { token: admin.token }))
  const edit = (more: object) => {
    const body = { id, ...inputOf(view, more) }
    return app.must(api.clusters.update, { body, beside: { deletedPkgs: [] } }, { token: admin.token })
  }
  // If it is empty or repeated, the key is unchanged, and there is nothing to apply.
  for (const more of [{}, { rhel_activation_key: KEY }])
    expect(await edit(more)).toMatchObject({ edited: false, data: { rhel_activation_key: '' } })
  expect(await edit({ rhel_activation_key: 'another-key' })).toMatchObject({ edited: true })
  expect(openRhelKey(secrets, await cloudClusterOf(app, id))).toBe('another-key')
  await edit({ rhel_organization_id: '' })
  expect((await cloudClusterOf(app, id)).sealed_activation_key).toBeNull()
})

test('a key that an older version stored unencrypted is sealed on startup without counting as an edit', async () => {
  const id = await cloudRow(app, admin.token, { data: { rhel_organization_id: '4242' } })
  const { data } = await cloudClusterOf(app, id)
  await store.update(app.db.kysely, id, { data: { ...data, rhel_activation_key: KEY } })
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1')])
  await sealStoredKeys(app.db, secrets)
  const after = await cloudClusterOf(app, id)
  expect(JSON.stringify(after)).not.toContain(KEY)
  expect(openRhelKey(secrets, after)).toBe(KEY)
  expect(after.deployed?.madeFrom).toBe(madeFrom(after))
})

test('a revoked credential creates nothing new, but everything can still be destroyed', async () => {
  const carl = await app.person('carl', ['user'])
  const credential = await awsCredential(app, admin.token, 'Shared')
  const share = (collaborators: string[]) =>
    app.must(
      api.credentials.collaborators,
      { body: { id: credential, collaborators } },
      { token: admin.token },
    )
  await share(['carl'])
  const id = await cloudRow(app, carl.token, { credential })
  await share([])
  const as = { token: carl.token }
  const message = expect.stringContaining('carl can no longer use the credential Shared')
  const refusal = { status: 403, message }
  for (const body of [{ id }, { id, onlyplan: true }])
    expect(await app.refused(api.clusters.deploy, { body }, as)).toMatchObject(refusal)
  // Terms are accepted for the whole account, and its quotas reveal what others have there.
  const accepting = await app.refused(api.lifecycle.acceptTerms, { body: { id } }, as)
  expect(accepting).toMatchObject(refusal)
  expect(await app.refused(api.lifecycle.quota, { id }, as)).toMatchObject(refusal)
  await setMachines(app, id, [machine('head', 'head', '10.0.0.1'), machine('node1', 'node', '10.0.0.2')])
  await store.update(app.db.kysely, id, { state: 'stopped' })
  expect(await app.refused(api.clusters.start, { body: { id } }, as)).toMatchObject(refusal)
  const byAdmin = { token: admin.token, admin: true }
  expect(await app.refused(api.clusters.start, { body: { id } }, byAdmin)).toMatchObject(refusal)
  await app.must(api.clusters.destroy, { body: { id } }, as)
})

test('leftovers are removed machines first, and keep their credential until they are gone', async () => {
  const credential = await awsCredential(app, admin.token, 'Left')
  // A deploy recorded this region; the cluster itself no longer exists.
  await notePlace(app.db.kysely, credential, 'eu-west-1')
  const kinds = ['network', 'volume', 'machine'] as const
  inCloud = kinds.map((kind) => found({ id: kind, type: kind, kind, clusterId: 'gone', region: 'eu-west-1' }))
  const { leftovers } = await app.must(api.leftovers.search, { body: {} }, { token: admin.token })
  const here = leftovers.filter(({ region }) => region === 'eu-west-1')
  const remove = () =>
    app.answer(api.credentials.remove, { id: credential }, { token: admin.token, admin: true })
  expect(await remove()).toMatchObject({
    status: 409,
    json: { uses: expect.arrayContaining([expect.objectContaining({ kind: 'leftover' })]) },
  })
  const keys = here.map(({ key }) => key)
  await app.must(api.leftovers.remove, { body: { keys } }, { token: admin.token })
  expect(removed).toEqual(['machine', 'volume', 'network'])
  expect((await remove()).status).toBe(200)
})

test('no response and no log contained a secret', () => {
  expect(leaks(app, recorded.answers, [KEY])).toEqual([])
})
