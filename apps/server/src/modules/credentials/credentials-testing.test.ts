import { api } from '@flotilla/contract/api'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { newId } from '../../ids'
import { MARK, aws, makeCloud, openCredentials } from '../../../test/support/app/credentials'
import { newDatabase } from '../../../test/support/database/database'
import { listenAs, testServer } from '../../../test/support/app/server'
import { until } from '../../../test/support/until'

const { cloud, clouds, reset } = makeCloud()
const { server, admin, grace, ada, set, tested, made, listed, one, leaks } = await openCredentials(clouds)
afterAll(() => server.close())
beforeEach(reset)

describe('a test', () => {
  const test = (body: Sent<typeof api.credentials.test>['body']) =>
    server.must(api.credentials.test, { body }, { token: grace.token })

  it('queries the cloud with the stored values and stores the result', async () => {
    const { id } = await made()
    const result = await test({ id })
    expect(cloud.asked).toEqual([['aws', aws(), 'first-of-aws']])
    expect(result).toMatchObject({
      outcome: 'ok',
      account: 'arn:aws:iam::1:user/console',
      checked: ['ec2:RunInstances'],
      missing: [],
      simulated: false,
    })
    expect((await one(id))?.lastTest).toEqual(result)
    await test({ id, region: 'eu-west-1' })
    // Without a region, the one of the last test is used.
    await test({ id })
    expect(cloud.asked.map(([, , region]) => region)).toEqual(['first-of-aws', 'eu-west-1', 'eu-west-1'])
  })

  it('tests entered values over stored ones, and stores neither the values nor the result', async () => {
    const { id } = await made()
    await test({ id, data: { secret_key: 'typed', access_key: '' } })
    await test({ provider: 'aws', data: { access_key: 'a', secret_key: ' b ' } })
    expect(cloud.asked.map(([, data]) => data)).toEqual([
      aws({ secret_key: 'typed' }),
      { access_key: 'a', secret_key: 'b' },
    ])
    expect((await one(id))?.lastTest).toBeNull()
  })

  it('names missing fields before it queries a cloud', async () => {
    for (const [body, field] of [
      [{ provider: 'aws', data: { access_key: 'a' } }, 'data.secret_key'],
      [{ provider: 'maas' }, 'data.api_key'],
      [{}, 'provider'],
    ] as const)
      expect((await tested(body)).json).toMatchObject({ fields: { [field]: expect.any(String) } })
    expect(cloud.asked).toEqual([])
  })

  it('explains which permissions are missing, or that the key or the clock is wrong', async () => {
    const { id } = await made()
    cloud.answer = async () => ({ account: 'me', checked: ['a', 'b'], missing: ['b'] })
    expect(await test({ id })).toMatchObject({ outcome: 'rights', missing: ['b'], account: 'me' })
    const optional = [
      'x:Describe, to use spot machines',
      'x:Cancel, to use spot machines',
      'y, to check quotas',
    ]
    cloud.answer = async () => ({ account: 'me', checked: ['a'], missing: [], optional })
    expect(await test({ id })).toMatchObject({
      outcome: 'ok',
      message: expect.stringContaining('which can deploy but not use spot machines or check quotas.'),
      missing: optional,
    })
    const rejectWith = (message: string, more: object) => async () => {
      throw Object.assign(new Error(message), more)
    }
    cloud.answer = rejectWith('The security token is invalid', { name: 'InvalidClientTokenId' })
    expect(await test({ id })).toMatchObject({ outcome: 'refused', account: null })
    cloud.answer = rejectWith('x', { name: 'RequestTimeTooSkewed' })
    expect(await test({ id })).toMatchObject({ outcome: 'clock' })
    expect((await one(id))?.lastTest).toMatchObject({ outcome: 'clock' })
  })

  it('fails with 503 and the name of a cloud that does not respond, and leaves the last result as it was', async () => {
    const { id } = await made()
    await test({ id })
    cloud.answer = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    const { status, json } = await tested({ id })
    expect(status).toBe(503)
    expect(json).toMatchObject({
      code: 'cloud_unavailable',
      part: 'AWS',
      message: expect.stringContaining('AWS'),
    })
    expect((await one(id))?.lastTest).toMatchObject({ outcome: 'ok' })
  })
})

it('a credential is recorded in the audit trail without its values', async () => {
  const { id } = await made({ name: 'Traced' })
  await set({ id, data: { secret_key: `${MARK}-other` } })
  await tested({ id })
  await server.must(api.credentials.remove, { id }, { token: grace.token })
  const reply = await server.must(api.activities.list, { query: { limit: 4 } }, { token: admin.token })
  expect(reply).toMatchObject(
    [
      ['deleted', ''],
      ['tested', 'ok'],
      ['edited', 'secret_key'],
      ['created', 'AWS'],
    ].map(([action, detail]) => ({ actor: 'grace', action, detail, subject: 'credential Traced' })),
  )
})

it('secrets never appear in a reply, in the log or in the database', async () => {
  const data = aws({ secret_key: `${MARK}-one`, session_token: `${MARK}-two` })
  const { id } = await made({ name: 'Marked', data, collaborators: ['adalove'] })
  // A cloud that echoes the credential in every part of its response.
  const echo = () => `You sent ${Object.values(cloud.asked.at(-1)?.[1] ?? {}).join(', ')}`
  for (const answering of [
    async () => ({ account: echo(), checked: [echo()], missing: [echo()] }),
    async () => Promise.reject(Object.assign(new Error(echo()), { statusCode: 401 })),
    async () => Promise.reject(Object.assign(new Error(echo()), { credential: data })),
    async () => Promise.reject(Object.assign(new Error(echo()), { code: 'ECONNREFUSED', cause: data })),
  ]) {
    cloud.answer = answering
    await tested({ id })
    await tested({ id, data: { secret_key: `${MARK}-three` } })
    await tested({ provider: 'aws', data })
  }
  await tested({ provider: 'aws', data: { secret_key: `${MARK}-four` } })
  const as = { token: grace.token }
  const long = { name: 'Long', provider: 'aws' as const, data: { secret_key: MARK.repeat(1000) } }
  for (const body of [{ ...long, name: 'x', data }, long])
    await server.refused(api.credentials.create, { body }, as)
  const nowhere = { credentials: { name: 'No', provider: 'nowhere', data } }
  await server.call('POST', api.credentials.create.path, { as: grace.token, body: nowhere })
  await set({ id, name: '', data })
  await set({ id, provider: 'gcp', data })
  await set({ id: newId(), data })
  await set({ id, data: { access_key: null, secret_key: `${MARK}-five` } })
  await listed(grace.token)
  await listed(ada.token)
  await server.must(api.credentials.uses, { id }, { token: grace.token })
  await server.must(
    api.credentials.collaborators,
    { body: { id, collaborators: [] } },
    { token: grace.token },
  )
  await server.must(api.activities.list, { query: { limit: 1000 } }, { token: admin.token })
  await server.refused(api.credentials.remove, { id }, { token: ada.token })
  expect(server.log()).not.toBe('')
  expect(leaks()).toEqual([])
  const tables = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public'`.execute(server.db.kysely)
  for (const { name } of tables.rows) {
    const { rows } = await sql<{
      all: string | null
    }>`select json_agg(t)::text as all from ${sql.table(name)} t`.execute(server.db.kysely)
    expect(rows[0]?.all ?? '', name).not.toContain(MARK)
  }
})

it('admins and users of a credential are notified of every change, and no one else is', async () => {
  const database = await newDatabase()
  const whole = await testServer({}, { databaseUrl: database.url })
  const chief = await whole.login('admin')
  const [user, stranger] = [await whole.person('sharer', ['user']), await whole.person('stranger', ['user'])]
  const listeners = await Promise.all(
    [chief, user.token, stranger.token].map((token) => listenAs(whole.url, token)),
  )
  const eventCounts = () =>
    listeners.map((listener) => listener.received.filter(({ data }) => data.changed === 'credentials').length)
  const credentials = { name: 'Live', provider: 'aws' as const, data: aws(), collaborators: ['sharer'] }
  const reply = await whole.must(api.credentials.create, { body: credentials }, { token: chief })
  await until(() => eventCounts().join() === '1,1,0')
  const { id } = reply
  await whole.must(api.credentials.update, { body: { id, name: 'Livelier' } }, { token: chief })
  await whole.must(api.credentials.remove, { id }, { token: chief })
  await until(() => eventCounts()[0] === 3 && eventCounts()[1] === 3)
  expect(eventCounts()).toEqual([3, 3, 0])
  for (const { socket } of listeners) socket.disconnect()
  await whole.stop()
  await database.drop()
})
