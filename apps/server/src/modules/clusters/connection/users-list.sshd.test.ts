import { api } from '@flotilla/contract/api'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { NEXT_CURSOR } from '@flotilla/contract/limits'
import { testApp, type Answer, type TestApp } from '../../../../test/support/app/app'
import { testFolder } from '../../../../test/support/folder'
import { leaks, recordAnswers } from '../../../../test/support/app/secrets'
import { newName } from '../../../../test/support/app/login'

let server: TestApp
let answers: Answer[]
let admin: { id: string; token: string; username: string }
let user: { id: string; token: string; username: string }
beforeAll(async () => {
  server = await testApp()
  ;({ answers } = recordAnswers(server))
  admin = await server.person('keeper', ['admin'])
  user = await server.person('plainuser', ['user'])
})
afterAll(() => server.close())

const list = (query: Sent<typeof api.users.list>['query']) =>
  server.must(api.users.list, { query }, { token: admin.token })

describe('the list of people', () => {
  beforeAll(async () => {
    await sql`insert into users (id, username, first_name, last_name, email, role, verified, created_at)
      select 'many' || n, 'many' || n, 'Many', 'People', 'many' || n || '@many.example', '{user}', true, date_trunc('milliseconds', now()) - interval '1 day'
      from generate_series(1, 250) n`.execute(server.db.kysely)
    await sql`insert into users (id, username, first_name, last_name, email, role, verified, created_at)
      values ('odd1', 'oddone', 'Odd', 'One', '100%_sure@odd.example', '{user}', true, now()),
             ('odd2', 'oddtwo', 'Odd', 'Two', '100xxsure@odd.example', '{user}', true, now()),
             ('odd3', 'oddthree', 'Odd', 'Three', 'back\\slash@odd.example', '{user}', true, now())`.execute(
      server.db.kysely,
    )
  })

  it('is paged, newest first, with everyone once, even if they were created at the same moment', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = { search: '@many.example', limit: 60, cursor }
      const page = await server.answer(api.users.list, { query }, { token: admin.token })
      expect(page.status).toBe(200)
      seen.push(...page.json.map(({ username }) => username))
      const next = page.headers[NEXT_CURSOR]
      cursor = typeof next === 'string' ? next : undefined
    } while (cursor)
    expect(seen).toHaveLength(250)
    expect(new Set(seen).size).toBe(250)
    expect(await list({})).toHaveLength(100)
    const times = (await list({ limit: 1000 })).map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  })

  it('searches for the exact characters', async () => {
    const search = async (text: string) =>
      (await list({ search: text })).map(({ username }) => username).toSorted()
    expect(await search('100%_sure')).toEqual(['oddone'])
    expect(await search('_sure')).toEqual(['oddone'])
    expect(await search('back\\slash')).toEqual(['oddthree'])
    expect(await search('ODD tw')).toEqual(['oddtwo'])
    expect(await search("' or true --")).toEqual([])
  })

  it('rejects cursors that are not its own', async () => {
    const tampered = [
      'x',
      '_',
      '1_',
      '-1_a',
      '-8640000000000000_a',
      '8640000000000001_a',
      '1e3_a',
      '99999999999999999999_a',
      "1_a' or true",
    ]
    for (const cursor of tampered)
      expect(
        await server.refused(api.users.list, { query: { cursor } }, { token: admin.token }),
        cursor,
      ).toMatchObject({ status: 400, fields: { cursor: expect.any(String) } })
    for (const limit of ['0', '-1', '1001', '1.5', 'x', '', '1&limit=2']) {
      const { status } = await server.call('GET', `${api.users.list.path}?limit=${limit}`, {
        as: admin.token,
      })
      expect(status, limit).toBe(400)
    }
    for (const cursor of ['x', '-1', '1e9', '99999999999999999999'])
      expect(
        (await server.refused(api.activities.list, { query: { cursor } }, { token: admin.token })).status,
        cursor,
      ).toBe(400)
  })

  it('is paged in the same way as the audit trail', async () => {
    for (const _login of [1, 2]) await server.login(admin.username)
    const page = (cursor?: string) =>
      server.answer(api.activities.list, { query: { limit: 1, cursor } }, { token: admin.token })
    const first = await page()
    const second = await page(String(first.headers[NEXT_CURSOR]))
    const ids = [first, second].flatMap(({ json }) => json.map(({ id }) => Number(id)))
    expect(ids).toHaveLength(2)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
  })
})

describe('the SSH key', () => {
  const download = (token: string) => server.answer(api.users.downloadSshKey, {}, { token })
  const route = api.users.downloadSshKey.path

  it('is created once, even when requested many times at once, and ssh can read its file', async () => {
    const me = await server.person(newName(), ['user'])
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => download(me.token)))
    const fromView = await server.call('GET', `${route}?fromClusterView=true`, { as: me.token })
    for (const { text } of [...others, fromView]) expect(text).toBe(first?.text)
    expect(first?.headers).toMatchObject({
      'content-type': 'application/x-pem-file',
      'content-disposition': expect.stringContaining(`attachment; filename="${me.username}.pem"`),
      'cache-control': 'no-store',
    })
    const file = path.join(await testFolder(), 'key.pem')
    await writeFile(file, first?.text ?? '', { mode: 0o600 })
    const { stdout, stderr, status } = spawnSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const row = await server.db.kysely
      .selectFrom('user_ssh_keys')
      .selectAll()
      .where('user_id', '=', me.id)
      .executeTakeFirstOrThrow()
    expect(stdout.trim()).toBe(row.public_key)
    const seed = first?.text.split('\n').slice(1, -2).join('') ?? ''
    expect(row.sealed_private_key).not.toContain(seed.slice(100, 140))
    expect(JSON.stringify(row)).not.toContain('PRIVATE KEY')
  })

  it("is private: no one can get another's, not even an admin", async () => {
    const mine = await download(user.token)
    const theirs = await server.call('GET', `${route}?id=${user.id}&username=${user.username}`, {
      as: admin.token,
      headers: { admin: 'true' },
    })
    expect(theirs.status).toBe(200)
    expect(theirs.text).not.toBe(mine.text)
  })
})

it('keeps secrets out of the log and the replies', () => {
  expect(
    leaks(
      server,
      answers.filter(({ headers }) => headers['content-type'] !== 'application/x-pem-file'),
    ),
  ).toEqual([])
})
