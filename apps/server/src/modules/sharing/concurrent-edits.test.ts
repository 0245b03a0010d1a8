import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '@flotilla/contract/api'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import * as z from 'zod/mini'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { stackPlaces } from '../../../test/support/console/stack'
import { holdTransactions } from '../../../test/support/database/held-transactions'
import { awsCredential, cloudClusterOf, cloudRow } from '../../../test/support/modules/cloud-row'
import { insertSession } from '../apps/store'

const Changes = z.array(z.looseObject({ field: z.string() }))

let app: TestApp
let as: { id: string; token: string }
beforeAll(async () => {
  app = await testApp({ CLOUD: 'simulated' })
  as = await app.person('author', ['admin'])
  for (const name of ['reader', 'editor']) await app.person(name, ['instructor'])
})
afterAll(() => app.close())

/**
 * Two edits, the second of which begins before the first is saved. Returns the changes of collaborators that each
 * recorded.
 */
async function editTwice(id: string, edit: (collaborators: string[], rhelKey: string) => Promise<unknown>) {
  const held = await holdTransactions(app.db.url)
  const first = edit(['reader'], 'the-key')
  await held.waiting(1)
  const second = edit(['editor'], '')
  await held.waiting(2)
  await held.release()
  await Promise.all([first, second])
  const rows = await app.db.kysely
    .selectFrom('activities')
    .select('changes')
    .where('subject_id', '=', id)
    .where('changes', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.flatMap(({ changes }) =>
    z.parse(Changes, JSON.parse(changes ?? '')).filter(({ field }) => field === 'collaborators'),
  )
}
const oneAfterTheOther = [
  { field: 'collaborators', before: [], after: ['reader'] },
  { field: 'collaborators', before: ['reader'], after: ['editor'] },
]

test('the second of two concurrent edits of a stack sees the first one and keeps its key', async () => {
  const input = {
    name: 'Base image',
    provider: 'aws' as const,
    credential_id: await awsCredential(app, as.token),
    data: stackPlaces.aws,
  }
  const { id } = await app.must(api.stacks.create, { body: input, beside: {} }, as)
  const changes = await editTwice(id, (collaborators, activation_key) => {
    const body = { ...input, id, collaborators, rhel: { organization_id: '42', activation_key } }
    return app.must(api.stacks.update, { body, beside: {} }, as)
  })
  expect(changes).toMatchObject(oneAfterTheOther)
  expect((await app.must(api.stacks.view, { id }, as)).rhel.activationKeySet).toBe(true)
})

test('the second of two concurrent edits of a cluster sees the first one and keeps its key', async () => {
  const id = await cloudRow(app, as.token)
  const view = CloudCluster.parse(await app.must(api.clusters.view, { id }, as))
  const { name, provider, info } = view
  const changes = await editTwice(id, (collaborators, rhel_activation_key) => {
    const data = { ...view.data, rhel_organization_id: '42', rhel_activation_key }
    const body = { id, name, provider, info, credential_id: view.credential_id ?? '', collaborators, data }
    return app.must(api.clusters.update, { body, beside: { deletedPkgs: [] } }, as)
  })
  expect(changes).toMatchObject(oneAfterTheOther)
  expect((await cloudClusterOf(app, id)).sealed_activation_key).not.toBeNull()
})

test('the second of two concurrent edits of a workshop sees the first one', async () => {
  const { id } = await app.must(api.trainings.create, { body: { name: 'Python' } }, as)
  const changes = await editTwice(id, (collaborators) =>
    app.must(api.trainings.update, { id, body: { name: 'Python', collaborators } }, as),
  )
  expect(changes).toMatchObject(oneAfterTheOther)
})

test('the second of two concurrent shares of an app sees the first one', async () => {
  const job = await app.must(api.jobs.create, { body: { name: 'App', data: { script: 'true' } } }, as)
  const id = 'session-of-author'
  const about = { id, job_id: job.id, owner_id: as.id, app_id: 'app', app_name: 'App', icon: 'terminal' }
  const times = { limit_s: 60, created_at: new Date(), ready_at: null, closed_at: null }
  await app.db.transaction((tx) =>
    insertSession(tx, { ...about, ...times, ready: '{}', allowed_roles: ['user'] }),
  )
  const changes = await editTwice(id, (collaborators) =>
    app.must(api.appSessions.share, { id, body: { collaborators } }, as),
  )
  expect(changes).toMatchObject(oneAfterTheOther)
})
