import { afterAll, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import * as z from 'zod/mini'
import { testApp } from '../../../test/support/app/app'

const Change = z.object({ before: z.array(z.string()), after: z.array(z.string()) })

const app = await testApp()
afterAll(() => app.close())

it('users count as participants only if they have no other role', async () => {
  const admin = await app.person('admin1', ['admin'])
  const asAdmin = { token: admin.token, admin: true }
  const data = {
    manager: 'none',
    transport: 'local',
    virtualNodes: { prefix: 'v', count: 1, cores: 1 },
  } as const
  const cluster = { name: 'Everyone', forEveryone: true, data }
  const { id } = await app.must(api.clusters.createLocal, { body: cluster }, asAdmin)
  const leaving = await app.person('leaving', ['user'])
  await app.must(
    api.jobs.create,
    { body: { name: 'Left', data: { script: 'true' } } },
    { token: leaving.token },
  )

  const guest = await app.person('guest', ['participant'])
  const mixed = await app.person('mixed', ['instructor', 'participant'])
  const seenBy = async ({ token }: { token: string }) => ({
    list: (await app.must(api.clusters.list, {}, { token })).map((one) => one.id),
    asParticipant: (await app.must(api.clusters.participant, {}, { token })).map((one) => one.id),
  })
  expect(await seenBy(guest)).toEqual({ list: [], asParticipant: [] })
  expect(await seenBy(mixed)).toEqual({ list: [id], asParticipant: [] })
  const everyone = await app.must(api.users.list, {}, asAdmin)
  expect(everyone.filter(({ participant }) => participant).map(({ username }) => username)).toEqual(['guest'])

  const body = { id: leaving.id, newOwner: guest.id }
  expect(await app.refused(api.users.remove, { body }, { token: admin.token })).toMatchObject({
    status: 400,
    fields: { newOwner: 'Workshop participants cannot own resources' },
  })
  await app.must(api.users.remove, { body: { ...body, newOwner: mixed.id } }, { token: admin.token })
})

it('concurrent changes of collaborators run one at a time, and each is recorded', async () => {
  const owner = await app.person('author', ['instructor'])
  const names = ['reader', 'editor', 'printer']
  for (const name of names) await app.person(name, ['user'])
  const as = { token: owner.token }
  const { id } = await app.must(api.courses.create, { body: { name: 'Shared' } }, as)
  await Promise.all(
    names.map((name) => app.must(api.courses.collaborators, { id, body: { collaborators: [name] } }, as)),
  )
  const { collaborators } = await app.must(api.courses.view, { id }, as)
  const rows = await app.db.kysely
    .selectFrom('activities')
    .select('changes')
    .where('action', '=', 'collaborators changed')
    .orderBy('id')
    .execute()
  const lists = rows.flatMap(({ changes }) => z.array(Change).parse(JSON.parse(changes ?? '[]')))
  // Each change starts from the result of the one before.
  expect(lists.map(({ before }) => before)).toEqual([[], lists[0]?.after, lists[1]?.after])
  expect(lists[2]?.after).toEqual(collaborators)
})
