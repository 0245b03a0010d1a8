import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApp, type TestApp } from '../../../../test/support/app'

const SCOPE = { admin: 'true' }

describe('the last admin', () => {
  let alone: TestApp
  let last: { id: string; token: string; username: string }
  beforeAll(async () => {
    alone = await testApp()
    last = await alone.person('lastadmin', ['admin', 'user'])
  })
  afterAll(() => alone.close())
  const change = (body: object, as = last.token) =>
    alone.call('PUT', '/api/users/', { as, body, headers: SCOPE })
  const drop = (id: string, as = last.token) => alone.call('PUT', '/api/users/remove', { as, body: { id } })
  const admins = async () =>
    (
      await alone.db.kysely
        .selectFrom('users')
        .select('id')
        .where(sql<boolean>`'admin' = any(role)`)
        .execute()
    ).length

  it('cannot be removed, demoted, or shut out', async () => {
    expect((await drop(last.id)).json).toMatchObject({ statusCode: 409, code: 'last_admin' })
    for (const body of [{ role: ['user'] }, { endTime: 1 }, { endTime: 4e12 }, { verified: false }])
      expect((await change({ id: last.id, ...body })).json).toMatchObject({
        statusCode: 409,
        code: 'last_admin',
      })
    expect((await change({ id: last.id, firstName: 'Still', endTime: null })).status).toBe(200)
  })

  it('is one who can log in: an admin whose account ended does not count', async () => {
    const ended = await alone.person('endedadmin', ['admin'])
    expect((await change({ id: ended.id, endTime: 1 })).status).toBe(200)
    expect((await drop(last.id)).json).toMatchObject({ code: 'last_admin' })
    expect((await drop(ended.id)).status).toBe(200)
  })

  it('stays when two admins demote or remove each other at once', async () => {
    for (const how of ['demote', 'remove'] as const) {
      const second = await alone.person(`second${how}`, ['admin'])
      const act = (id: string, as: string) =>
        how === 'demote' ? change({ id, role: ['user'] }, as) : drop(id, as)
      const both = await Promise.all([act(second.id, last.token), act(last.id, second.token)])
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await admins()).toBe(1)
      if (both[1]?.status === 200) {
        last = second
        last.token = await alone.login(second.username)
      }
    }
  })

  it('stays when many demote themselves at once', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 4 }, (_, i) => alone.person(`crowd${i}x`, ['admin'])),
    )
    const all = await Promise.all(
      [last, ...crowd].map(({ id, token }) => change({ id, role: ['user'] }, token)),
    )
    expect(all.filter(({ status }) => status === 409)).toHaveLength(1)
    expect(await admins()).toBe(1)
  })
})
