import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessTokens } from '@flotilla/contract/people/access-tokens'
import { activities, type ActivityFilter } from '@flotilla/contract/people/activities'
import { NEXT_CURSOR } from '@flotilla/contract/limits'
import { settings } from '@flotilla/contract/site/settings'
import { users } from '@flotilla/contract/people/users'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { testApp, type TestApp } from '../../../test/support/app/app'
import * as store from './store'

let server: TestApp
let admin: { id: string; token: string }
let ada: { id: string; token: string; username: string }
let job: { id: string }
const asAdmin = () => ({ token: admin.token, admin: true })
const find = (query: ActivityFilter) => server.must(activities.list, { query }, asAdmin())

beforeAll(async () => {
  server = await testApp()
  admin = await server.person('keeper', ['admin'])
  ada = await server.person('lovelace', ['user'])
  const data = { script: '#!/bin/bash\ntrue\n' }
  job = await server.must(
    jobs.create,
    { body: { name: 'wave', description: 'before', data } },
    { token: ada.token },
  )
})
afterAll(() => server.close())

describe('a change', () => {
  it('is recorded with every field, before and after, and where it came from', async () => {
    await server.must(
      users.update,
      { body: { id: ada.id, firstName: 'Augusta', role: ['user', 'instructor'] } },
      asAdmin(),
    )
    const [found] = await find({ action: 'user updated' })
    expect(found).toMatchObject({
      actor: 'keeper',
      actorId: admin.id,
      subject: 'user lovelace',
      subjectKind: 'user',
      subjectId: ada.id,
      changes: [
        { field: 'firstName', before: 'Ada', after: 'Augusta' },
        { field: 'role', before: ['user'], after: ['user', 'instructor'] },
      ],
      address: '127.0.0.1',
      requestId: expect.any(String),
      sessionId: expect.any(String),
      tokenId: null,
    })
  })

  it('of a job names the fields inside its data', async () => {
    const body = { id: job.id, name: 'wave', description: 'after', data: { script: '#!/bin/bash\nfalse\n' } }
    await server.must(jobs.update, { body }, { token: ada.token })
    const [found] = await find({ action: 'job updated' })
    expect(found?.changes).toEqual([
      { field: 'description', before: 'before', after: 'after' },
      { field: 'data.script', before: '#!/bin/bash\ntrue\n', after: '#!/bin/bash\nfalse\n' },
    ])
  })

  it('of a secret says only that it changed', async () => {
    const body = { id: ada.id, password: 'An0ther$Password' }
    await server.must(users.changePassword, { body }, asAdmin())
    const [found] = await find({ action: 'password changed' })
    expect(found?.changes).toEqual([{ field: 'password', secret: true }])
    expect(JSON.stringify(found)).not.toContain('An0ther')
    // The change ended the user's sessions.
    ada = { ...ada, token: await server.login('lovelace', 'An0ther$Password') }
  })

  it('of the settings by an access token names the token', async () => {
    const body = { name: 'script', scope: 'all' as const, days: 1 }
    const { id, secret } = await server.must(accessTokens.create, { body }, asAdmin())
    await server.must(
      settings.setLocalPrices,
      { body: { perCoreHour: 0.5, perGpuHour: null } },
      { token: secret },
    )
    const [found] = await find({ subjectId: 'local-prices' })
    expect(found).toMatchObject({
      subject: 'local cluster prices',
      changes: [{ field: 'perCoreHour', before: null, after: 0.5 }],
      sessionId: null,
      tokenId: id,
    })
  })
})

describe('the search', () => {
  it('finds records by person, by subject with and without its kind, by ID, and by all filters together', async () => {
    const byAda = await find({ person: 'lovelace' })
    expect(new Set(byAda.map(({ actor }) => actor))).toEqual(new Set(['lovelace']))
    const about = await find({ subject: 'wave' })
    expect(about.map(({ action }) => action)).toEqual(['job updated', 'job saved'])
    expect(await find({ subject: 'job wave' })).toEqual(about)
    expect(await find({ subjectId: job.id })).toEqual(about)
    expect(await find({ subject: 'cluster wave' })).toEqual([])
    const [first] = await find({
      person: 'lovelace',
      subject: 'wave',
      action: 'job saved',
      from: 0,
      to: Date.now(),
    })
    expect(first?.action).toBe('job saved')
  })

  it('finds records by time, including the start and excluding the end of a range', async () => {
    const [last] = await find({ subject: 'wave' })
    const at = last?.time ?? 0
    expect((await find({ subject: 'wave', from: at })).map(({ id }) => id)).toContain(last?.id)
    expect((await find({ subject: 'wave', to: at })).map(({ id }) => id)).not.toContain(last?.id)
  })

  it('returns all records page by page, each once', async () => {
    const all = await find({})
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await server.answer(activities.list, { query: { limit: 2, cursor } }, asAdmin())
      seen.push(...page.json.map(({ id }) => id))
      cursor = page.headers[NEXT_CURSOR] as string | undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(all.map(({ id }) => id))
  })

  it.each([
    ['action=made%20up', 'action'],
    ['from=yesterday', 'from'],
    ['person=', 'person'],
    ['cursor=1', 'cursor'],
    ['cursor=1_x', 'cursor'],
  ])('refuses %s', async (query, field) => {
    const { status, json } = await server.call('GET', `${activities.list.path}?${query}`, {
      as: admin.token,
    })
    expect([status, Object.keys((json as { fields: object }).fields)]).toEqual([400, [field]])
  })

  it('uses an index for each filter', async () => {
    const plans = async (filter: ActivityFilter) =>
      server.db.transaction(async (tx) => {
        // PostgreSQL would otherwise choose a sequential scan for so few rows.
        await sql`set local enable_seqscan = off; `.execute(tx)
        await sql`set local enable_sort = off`.execute(tx)
        const query = store.searchQuery(tx, filter, 100, undefined)
        return JSON.stringify(await query.explain('json'))
      })
    const filters: [ActivityFilter, string][] = [
      [{}, 'activities_newest'],
      [{ from: 1, to: 2 }, 'activities_newest'],
      [{ person: 'lovelace' }, 'activities_by_actor'],
      [{ action: 'job saved' }, 'activities_by_action'],
      [{ subjectId: job.id }, 'activities_by_subject_id'],
    ]
    for (const [filter, index] of filters) expect(await plans(filter)).toContain(`"${index}"`)
  })
})

describe('the export', () => {
  const exports = { csv: activities.exportCsv, json: activities.exportJson }
  const text = async (format: 'csv' | 'json', query: ActivityFilter) =>
    (await server.answer(exports[format], { query }, { token: admin.token })).text

  it('as JSON contains what the search finds', async () => {
    const found = await find({ subject: 'wave' })
    expect(JSON.parse(await text('json', { subject: 'wave' }))).toEqual(found)
    expect(await text('json', { subject: 'nothing' })).toBe('[]\n')
  })

  it('as CSV quotes the cells that need it', async () => {
    const body = {
      name: 'tide',
      description: 'a, b',
      data: { script: '#!/bin/bash\ntrue\n' },
    }
    const made = await server.must(jobs.create, { body }, { token: ada.token })
    await server.must(
      jobs.update,
      { body: { ...body, id: made.id, description: '+1\n"two"' } },
      { token: ada.token },
    )
    const csv = await text('csv', { subjectId: made.id })
    const [header, ...lines] = csv.split('\r\n')
    expect(header).toBe(
      'id,time,actor,actorId,action,subject,subjectKind,subjectId,detail,changes,address,requestId,sessionId,tokenId',
    )
    expect(lines).toHaveLength(3)
    expect(lines[0]).toContain('"description: a, b -> +1\n""two"""')
  })

  it('as CSV has no cell that is a formula', async () => {
    const body = { name: '=cmd|x', scope: 'read' as const, days: 1 }
    await server.must(accessTokens.create, { body }, asAdmin())
    expect(await text('csv', { action: 'access token created' })).toContain(`,"'=cmd|x: read, 1 day",`)
  })

  it('is itself recorded, and only for admins', async () => {
    const [found] = await find({ action: 'audit trail exported' })
    expect(found).toMatchObject({ actor: 'keeper', detail: 'CSV, action: access token created' })
    for (const endpoint of Object.values(exports))
      expect((await server.refused(endpoint, {}, { token: ada.token })).status).toBe(403)
  })
})

it('the audit trail is verified daily and when an admin requests it', async () => {
  expect(server.app.schedules.map(({ task }) => task.name)).toContain('verify-audit')
  expect(await server.must(activities.verification, {}, asAdmin())).toEqual({
    checkedAt: null,
    records: 0,
    problem: null,
  })
  await server.app.sweep()
  await server.must(activities.verify, {}, asAdmin())
  const { rows } = await sql`select task_identifier from graphile_worker.jobs`.execute(server.db.kysely)
  expect(rows).toContainEqual({ task_identifier: 'verify-audit' })
  const handler = server.app.tasks.find(({ task }) => task.name === 'verify-audit')
  // The handler does not use its run context.
  await handler?.run({}, {} as Parameters<NonNullable<typeof handler>['run']>[1])
  const all = await server.db.kysely.selectFrom('activities').select('id').execute()
  expect(await server.must(activities.verification, {}, asAdmin())).toEqual({
    checkedAt: expect.any(Number),
    records: all.length,
    problem: null,
  })
})
