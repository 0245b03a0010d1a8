import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids'
import { testApp, type Answer, type TestApp } from '../../../test/support/app/app'
import { leaks, recordAnswers } from '../../../test/support/app/secrets'
import { newName } from '../../../test/support/app/login'
import type { Ownable } from '../sharing/sharing'

type Change = Sent<typeof api.users.update>['body']

/** A kind of thing without a module, in a table of the test. */
const boats: Ownable = {
  kind: 'boat',
  changed: 'clusters',
  list: async (tx, owner) =>
    (
      await sql<{
        id: string
        name: string
      }>`select id, name from boats where owner_id = ${owner} order by name`.execute(tx)
    ).rows,
  transferOwnership: async (tx, from, to) =>
    void (await sql`update boats set owner_id = ${to} where owner_id = ${from}`.execute(tx)),
}
const planes: Ownable = { ...boats, kind: 'plane', list: async () => [] }

let server: TestApp
let answers: Answer[]
/** The only admin, unless a test creates another. */
let admin: { id: string; token: string; username: string }
beforeAll(async () => {
  server = await testApp({}, { ownables: [boats, planes] })
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin', 'user'])
  await sql`create table boats (id text primary key, name text not null, owner_id text not null references users)`.execute(
    server.db.kysely,
  )
})
afterAll(() => server.close())

const remove = (id: string, newOwner?: string, as = admin.token) =>
  server.answer(api.users.remove, { body: { id, newOwner } }, { token: as })
const ownedBy = (id: string) => server.must(api.users.owned, { id }, { token: admin.token })

describe('removing a user', () => {
  it('requires a new owner for what they own and transfers it', async () => {
    const [owner, heir] = [await server.person(newName(), ['user']), await server.person(newName(), ['user'])]
    await sql`insert into boats values (${newId()}, 'Ark', ${owner.id}), (${newId()}, 'Beagle', ${owner.id})`.execute(
      server.db.kysely,
    )
    const owned = [
      { kind: 'boat', name: 'Ark' },
      { kind: 'boat', name: 'Beagle' },
    ]
    expect(await ownedBy(owner.id)).toMatchObject(owned)
    expect((await remove(owner.id)).json).toMatchObject({ statusCode: 409, code: 'owner_needed', owned })
    for (const newOwner of [newId(), owner.id])
      expect((await remove(owner.id, newOwner)).json).toMatchObject({
        statusCode: 400,
        fields: { newOwner: expect.any(String) },
      })
    expect(await remove(owner.id, heir.id)).toMatchObject({ status: 200, json: { id: owner.id } })
    expect(await ownedBy(heir.id)).toMatchObject(owned)
    expect((await remove(owner.id)).status).toBe(404)
    const unknown = await server.refused(api.users.owned, { id: newId() }, { token: admin.token })
    expect(unknown.status).toBe(404)
  })

  it('loses nothing when two users are removed at once in favor of each other', async () => {
    const [one, two] = [await server.person(newName(), ['user']), await server.person(newName(), ['user'])]
    await sql`insert into boats values (${newId()}, 'Cutty', ${one.id}), (${newId()}, 'Dory', ${two.id})`.execute(
      server.db.kysely,
    )
    const both = await Promise.all([remove(one.id, two.id), remove(two.id, one.id)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    const left = both[0]?.status === 200 ? two : one
    expect(await ownedBy(left.id)).toMatchObject([{ name: 'Cutty' }, { name: 'Dory' }])
  })

  it('frees the username for a new user, who inherits nothing', async () => {
    const old = await server.person(newName(), ['user'])
    const key = (await server.answer(api.users.downloadSshKey, {}, { token: old.token })).text
    await remove(old.id)
    const again = await server.person(old.username, ['user'])
    expect(again.id).not.toBe(old.id)
    expect((await server.refused(api.users.downloadSshKey, {}, { token: old.token })).status).toBe(401)
    expect((await server.answer(api.users.downloadSshKey, {}, { token: again.token })).text).not.toBe(key)
    const as = await server.login(again.username)
    const { user: found } = await server.must(api.auth.refresh, {}, { token: as })
    // The new user's login and the download of their own key.
    expect(found.activities.map(({ action }) => action)).toEqual(['logged in', 'private key downloaded'])
  })
})

describe('the last admin', () => {
  const change = (body: Change, as = admin.token) =>
    server.answer(api.users.update, { body }, { token: as, admin: true })
  const admins = async () =>
    (
      await server.db.kysely
        .selectFrom('users')
        .select('id')
        .where(sql<boolean>`'admin' = any(role)`)
        .execute()
    ).length

  it('cannot be removed, demoted or locked out', async () => {
    expect((await remove(admin.id)).json).toMatchObject({ statusCode: 409, code: 'last_admin' })
    const losses: Partial<Change>[] = [
      { role: ['user'] },
      { endTime: 1 },
      { endTime: 4e12 },
      { verified: false },
    ]
    for (const body of losses)
      expect((await change({ id: admin.id, ...body })).json).toMatchObject({
        statusCode: 409,
        code: 'last_admin',
      })
    expect((await change({ id: admin.id, firstName: 'Still', endTime: null })).status).toBe(200)
  })

  it('must be able to log in: an admin whose account has ended does not count', async () => {
    const ended = await server.person('endedadmin', ['admin'])
    expect((await change({ id: ended.id, endTime: 1 })).status).toBe(200)
    expect((await remove(admin.id)).json).toMatchObject({ code: 'last_admin' })
    expect((await remove(ended.id)).status).toBe(200)
  })

  it('remains when two admins demote or remove each other concurrently', async () => {
    for (const how of ['demote', 'remove'] as const) {
      const second = await server.person(`second${how}`, ['admin'])
      const act = (id: string, as: string) =>
        how === 'demote' ? change({ id, role: ['user'] }, as) : remove(id, undefined, as)
      const both = await Promise.all([act(second.id, admin.token), act(admin.id, second.token)])
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await admins()).toBe(1)
      if (both[1]?.status === 200) {
        admin = second
        admin.token = await server.login(second.username)
      }
    }
  })

  it('remains when many admins demote themselves concurrently', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 4 }, (_, i) => server.person(`crowd${i}x`, ['admin'])),
    )
    const all = await Promise.all(
      [admin, ...crowd].map(({ id, token }) => change({ id, role: ['user'] }, token)),
    )
    expect(all.filter(({ status }) => status === 409)).toHaveLength(1)
    expect(await admins()).toBe(1)
  })
})

it('no secrets appear in the log or the responses', () => {
  const shown = answers.filter(({ headers }) => headers['content-type'] !== 'application/x-pem-file')
  expect(leaks(server, shown)).toEqual([])
})
