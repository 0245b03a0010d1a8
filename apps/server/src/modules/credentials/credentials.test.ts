import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Credential, CredentialTest, CredentialUse } from '@flotilla/contract/clouds/credentials'
import type { Clouds } from '../clouds/clouds'
import { newId } from '../../ids'
import type { WhoAmI } from '../../providers/provider'
import { driverWith } from '../../../test/support/cloud-driver'
import { testApp, type TestApp } from '../../../test/support/app'
import { newDatabase } from '../../../test/support/database'
import { recordAnswers } from '../../../test/support/secrets'
import { listenAs, testServer } from '../../../test/support/server'
import { until } from '../../../test/support/until'

type Person = { id: string; token: string; username: string }
const SCOPE = { admin: 'true' }
const MARK = 'xMARKx-never-to-be-seen-again'
const aws = (change: Record<string, string> = {}) => ({
  access_key: 'AKIAIOSFODNN7WXYZ',
  secret_key: `${MARK}-secret`,
  ...change,
})

const maas: Record<string, string> = { api_url: 'http://maas.lab/MAAS', api_key: `a:b:${MARK}` }
const gcp: Record<string, string> = {
  type: 'service_account',
  project_id: 'flow',
  private_key_id: 'a1b2',
  private_key: `${MARK}-key`,
  client_email: 'console@flow.iam.gserviceaccount.com',
  client_id: '1',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/console',
}

/** The cloud at the other end: what it answers, and what it was asked with. */
let answer: () => Promise<WhoAmI>
let asked: Parameters<Clouds['driver']>[]
const clouds: Partial<Clouds> = {
  driver: async (...request) => {
    asked.push(request)
    return driverWith({ whoAmI: () => answer() })
  },
  firstRegion: async (provider) => `first-of-${provider}`,
}

let server: TestApp
let answers: { text: string }[]
let grace: Person
let admin: Person
let ada: Person
let maria: Person
let student: Person
beforeAll(async () => {
  server = await testApp({}, { clouds })
  answers = recordAnswers(server).answers
  admin = await server.person('chief', ['admin'])
  grace = await server.person('grace', ['admin', 'user'])
  ada = await server.person('adalove', ['user'])
  maria = await server.person('maria', ['instructor'])
  student = await server.person('student', ['participant'])
})
afterAll(() => server.close())
beforeEach(() => {
  asked = []
  answer = async () => ({
    account: 'arn:aws:iam::1:user/console',
    checked: ['ec2:RunInstances'],
    missing: [],
  })
})

const post = (route: string, body: unknown, as = grace.token, headers: Record<string, string> = {}) =>
  server.call('POST', `/api/credentials/${route}`, { as, body, headers })
async function made(change: object = {}, as = grace.token): Promise<Credential> {
  const credentials = { name: 'Physics', provider: 'aws', data: aws(), ...change }
  const { status, json, text } = await post('', { credentials }, as)
  expect(status, text).toBe(201)
  return json as Credential
}
const listed = async (as: string) =>
  (await server.call('GET', '/api/credentials/', { as })).json as Credential[]
const one = async (id: string) => (await listed(admin.token)).find((row) => row.id === id)
const stored = async (id: string) => (await server.app.credentials.use(id)).data
async function cluster(name: string, credentialId: string): Promise<string> {
  const id = newId()
  await sql`insert into clusters (id, owner_id, name, description, provider, credential_id, state, state_since, data, created_at)
    values (${id}, ${grace.id}, ${name}, '', 'aws', ${credentialId}, 'saved', now(), '{}', now())`.execute(
    server.db.kysely,
  )
  return id
}

describe('a credential', () => {
  it('goes in whole and comes out without its secrets', async () => {
    const made1 = await made({
      description: ' for the physicists ',
      data: aws({ secret_key: '  s3cret/key  ' }),
    })
    expect(made1).toMatchObject({
      name: 'Physics',
      description: 'for the physicists',
      provider: 'aws',
      owner: 'grace',
      collaborators: [],
      data: {
        access_key: { set: true, value: null, ending: 'WXYZ' },
        secret_key: { set: true, value: null, ending: null },
        session_token: { set: false, value: null, ending: null },
      },
      usedBy: 0,
      lastUsedAt: null,
      lastTest: null,
    })
    // Trimmed, and nothing that the provider does not ask for.
    expect(await stored(made1.id)).toEqual({ access_key: 'AKIAIOSFODNN7WXYZ', secret_key: 's3cret/key' })
  })

  it('shows what is not secret in full, so that it can be corrected', async () => {
    const data = { client_id: 'app', client_secret: 'hush', subscription_id: 'sub', tenant_id: 'ten' }
    const { data: shown } = await made({ provider: 'azure', data })
    expect(shown).toEqual({
      client_id: { set: true, value: 'app', ending: null },
      client_secret: { set: true, value: null, ending: null },
      subscription_id: { set: true, value: 'sub', ending: null },
      tenant_id: { set: true, value: 'ten', ending: null },
    })
  })

  it('is refused while something is missing, every field of it at once', async () => {
    const { status, json } = await post('', {
      credentials: { name: 'Half', provider: 'oracle', data: { user_ocid: 'u', key_file: ' \n' } },
    })
    expect(status).toBe(400)
    expect(Object.keys((json as { fields: object }).fields).toSorted()).toEqual([
      'credentials.data.compartment_ocid',
      'credentials.data.fingerprint',
      'credentials.data.key_file',
      'credentials.data.tenancy_ocid',
    ])
  })

  it('keeps the line breaks of a key and no other kind of them', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n-----END PRIVATE KEY-----\r\n'
    const data = { user_ocid: 'u', tenancy_ocid: 't', compartment_ocid: 'c', fingerprint: 'f', key_file: key }
    const { id } = await made({ provider: 'oracle', data })
    expect((await stored(id)).key_file).toBe('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')
  })
})

describe('an edit', () => {
  const set = (credentials: object, as = grace.token, headers = {}) =>
    post('set', { credentials }, as, headers)

  it('keeps what is left out or empty, and takes away what is null', async () => {
    const { id } = await made({ data: aws({ session_token: 'tok' }) })
    expect((await set({ id, name: 'Chemistry', data: { secret_key: '', access_key: ' ' } })).status).toBe(200)
    expect(await stored(id)).toEqual(aws({ session_token: 'tok' }))
    await set({ id, data: { secret_key: ' new ', session_token: null } })
    expect(await stored(id)).toEqual(aws({ secret_key: 'new' }))
    expect(await one(id)).toMatchObject({ name: 'Chemistry', data: { session_token: { set: false } } })
  })

  it('refuses to empty what must be there, and to move to another provider', async () => {
    const { id } = await made()
    expect((await set({ id, data: { secret_key: null } })).json).toMatchObject({
      code: 'bad_input',
      fields: { 'credentials.data.secret_key': 'Secret key is missing' },
    })
    expect((await set({ id, provider: 'gcp' })).json).toMatchObject({
      fields: { 'credentials.provider': expect.stringContaining('provider of a credential cannot change') },
    })
    const azure = { client_id: 'app', client_secret: 'x', subscription_id: 's', tenant_id: 't' }
    const other = await made({ provider: 'azure', data: azure })
    expect((await set({ id: other.id, data: { client_id: '' } })).status).toBe(400)
    expect(await stored(other.id)).toEqual(azure)
  })

  it('forgets a test of other values, and keeps it when only the name changes', async () => {
    const { id } = await made()
    await post('test', { id })
    await set({ id, name: 'Renamed' })
    expect((await one(id))?.lastTest).toMatchObject({ outcome: 'ok' })
    await set({ id, data: { secret_key: 'another' } })
    expect((await one(id))?.lastTest).toBeNull()
  })

  it.each([
    ['maas', maas, 'api_url', 'api_key'],
    ['gcp', gcp, 'token_uri', 'private_key'],
    ['gcp', gcp, 'auth_uri', 'private_key'],
  ])('of %s to another address needs the secret again', async (provider, data, address, secret) => {
    const { id } = await made({ provider, data })
    const elsewhere = { [address]: 'http://evil.example.org/MAAS' }
    for (const typed of [undefined, '', ' ', '\t', '\u00a0\n']) {
      const change = { id, data: { ...elsewhere, ...(typed !== undefined && { [secret]: typed }) } }
      expect((await post('test', change)).json).toMatchObject({
        fields: { [`data.${secret}`]: 'Enter it again because the address changed' },
      })
      expect((await set(change)).json).toMatchObject({
        fields: { [`credentials.data.${secret}`]: 'Enter it again because the address changed' },
      })
    }
    expect(asked).toEqual([])
    expect(await stored(id)).toEqual(data)
    // At the same address it stays, and to another one goes what is typed for it.
    expect((await set({ id, data: { [address]: ` ${data[address]} `, [secret]: ' ' } })).status).toBe(200)
    expect((await post('test', { id, data: { ...elsewhere, [secret]: 'typed' } })).status).toBe(200)
    expect(asked.map(([, tried]) => tried)).toEqual([{ ...data, ...elsewhere, [secret]: 'typed' }])
  })

  it("needs the admin's header for what belongs to someone else", async () => {
    const { id } = await made()
    for (const [method, route, body] of [
      ['POST', 'set', { credentials: { id, name: 'Taken' } }],
      ['PUT', 'collaborators', { id, collaborators: [] }],
      ['POST', 'test', { id }],
      ['POST', 'test', { id, data: aws() }],
      ['DELETE', id, undefined],
    ] as const) {
      const ask = (headers: Record<string, string>) =>
        server.call(method, `/api/credentials/${route}`, { as: admin.token, body, headers })
      expect((await ask({})).json, route).toMatchObject({ statusCode: 403, code: 'admin_scope_needed' })
      expect(asked, route).toEqual([])
      expect((await ask(SCOPE)).status, route).toBe(200)
      asked = []
    }
  })
})

describe('sharing', () => {
  const share = (id: string, collaborators: string[]) =>
    server.call('PUT', '/api/credentials/collaborators', { as: grace.token, body: { id, collaborators } })

  it('lets others choose it and learn nothing else', async () => {
    const { id, name } = await made()
    expect(await listed(ada.token)).toEqual([])
    const { status, json } = await share(id, ['AdaLove ', 'maria', 'grace'])
    expect(status).toBe(200)
    expect((json as { credential: Credential }).credential.collaborators).toEqual(['adalove', 'maria'])
    for (const person of [ada, maria])
      expect(await listed(person.token)).toEqual([{ id, name, provider: 'aws' }])
    const { mayUse, listFor } = server.app.credentials
    const as = ({ id: me }: Person, role: ('user' | 'participant' | 'admin')[]) => ({ id: me, role })
    expect(await mayUse(as(ada, ['user']), id)).toBe(true)
    expect(await listFor(as(ada, ['user']))).toHaveLength(1)
    expect(await mayUse(as(admin, ['admin']), id)).toBe(true)
    expect(await mayUse(as(student, ['user']), id)).toBe(false)
    // Someone who once was a user and now only takes part in a workshop.
    expect(await mayUse(as(ada, ['participant']), id)).toBe(false)
    expect(await listFor(as(ada, ['participant']))).toEqual([])
    await share(id, [])
    expect(await listed(ada.token)).toEqual([])
    expect(await mayUse(as(ada, ['user']), id)).toBe(false)
  })

  it('names everyone who is no one', async () => {
    const { id } = await made({ collaborators: ['adalove'] })
    expect((await share(id, ['maria', 'nobody', 'noone'])).json).toMatchObject({
      fields: { collaborators: 'No user named nobody, noone' },
    })
    expect((await one(id))?.collaborators).toEqual(['adalove'])
  })

  it('is none of a participant’s business', async () => {
    expect((await server.call('GET', '/api/credentials/', { as: student.token })).status).toBe(403)
  })

  it('stays when the owner goes: someone else takes it over', async () => {
    const leaver = await server.person('leaver', ['admin'])
    const { id } = await made({ name: 'Inherited', collaborators: ['adalove'] }, leaver.token)
    const remove = (newOwner?: string) =>
      server.call('PUT', '/api/users/remove', { as: admin.token, body: { id: leaver.id, newOwner } })
    expect((await remove()).json).toMatchObject({
      code: 'owner_needed',
      owned: [{ kind: 'credential', id, name: 'Inherited' }],
    })
    expect((await remove(ada.id)).status).toBe(200)
    expect(await one(id)).toMatchObject({ owner: 'adalove', collaborators: [] })
    expect(await stored(id)).toEqual(aws())
  })
})

describe('deleting', () => {
  const remove = (id: string) => server.call('DELETE', `/api/credentials/${id}`, { as: grace.token })
  const uses = async (id: string) =>
    (await server.call('GET', `/api/credentials/${id}/uses`, { as: grace.token })).json as CredentialUse[]

  it('is refused while something uses it, and says what', async () => {
    const { id } = await made()
    const used = await cluster('Blue', id)
    expect(await uses(id)).toEqual([{ kind: 'cluster', id: used, name: 'Blue' }])
    expect((await one(id))?.usedBy).toBe(1)
    const { status, json } = await remove(id)
    expect(status).toBe(409)
    expect(json).toMatchObject({
      code: 'in_use',
      message: 'Still used by cluster Blue',
      uses: [{ kind: 'cluster', id: used, name: 'Blue' }],
    })
    await sql`delete from clusters where id = ${used}`.execute(server.db.kysely)
    expect((await remove(id)).json).toEqual({ id })
    expect(await one(id)).toBeUndefined()
    expect((await remove(id)).status).toBe(404)
  })

  it('does not leave a cluster without its key, also when both happen at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await made()
      const [removed, kept] = await Promise.all([
        remove(id),
        cluster('Racing', id).then(
          () => true,
          () => false,
        ),
      ])
      expect(removed.status === 200).toBe(!kept)
      expect([200, 409]).toContain(removed.status)
    }
  })
})

describe('a test', () => {
  const test = async (body: object) => (await post('test', body)).json as CredentialTest

  it('asks the cloud with what is stored, and keeps the answer', async () => {
    const { id } = await made()
    const result = await test({ id })
    expect(asked).toEqual([['aws', aws(), 'first-of-aws']])
    expect(result).toMatchObject({
      outcome: 'ok',
      account: 'arn:aws:iam::1:user/console',
      checked: ['ec2:RunInstances'],
      missing: [],
      simulated: false,
    })
    expect((await one(id))?.lastTest).toEqual(result)
    await test({ id, region: 'eu-west-1' })
    // Where it was last tried.
    await test({ id })
    expect(asked.map(([, , region]) => region)).toEqual(['first-of-aws', 'eu-west-1', 'eu-west-1'])
  })

  it('asks with what is typed over what is stored, and keeps nothing of that', async () => {
    const { id } = await made()
    await test({ id, data: { secret_key: 'typed', access_key: '' } })
    await test({ provider: 'aws', data: { access_key: 'a', secret_key: ' b ' } })
    expect(asked.map(([, data]) => data)).toEqual([
      aws({ secret_key: 'typed' }),
      { access_key: 'a', secret_key: 'b' },
    ])
    expect((await one(id))?.lastTest).toBeNull()
  })

  it('names the fields that are missing before it asks anyone', async () => {
    for (const [body, field] of [
      [{ provider: 'aws', data: { access_key: 'a' } }, 'data.secret_key'],
      [{ provider: 'maas' }, 'data.api_key'],
      [{}, 'provider'],
    ] as const)
      expect((await post('test', body)).json).toMatchObject({ fields: { [field]: expect.any(String) } })
    expect(asked).toEqual([])
  })

  it('explains which rights are missing, that the key is wrong, or that the clock is', async () => {
    const { id } = await made()
    answer = async () => ({ account: 'me', checked: ['a', 'b'], missing: ['b'] })
    expect(await test({ id })).toMatchObject({ outcome: 'rights', missing: ['b'], account: 'me' })
    const refusing = (message: string, more: object) => async () => {
      throw Object.assign(new Error(message), more)
    }
    answer = refusing('The security token is invalid', { name: 'InvalidClientTokenId' })
    expect(await test({ id })).toMatchObject({ outcome: 'refused', account: null })
    answer = refusing('x', { name: 'RequestTimeTooSkewed' })
    expect(await test({ id })).toMatchObject({ outcome: 'clock' })
    expect((await one(id))?.lastTest).toMatchObject({ outcome: 'clock' })
  })

  it('is a 503 that names the cloud when no one answers, and says nothing about the credential', async () => {
    const { id } = await made()
    await test({ id })
    answer = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    const { status, json } = await post('test', { id })
    expect(status).toBe(503)
    expect(json).toMatchObject({
      code: 'cloud_unavailable',
      part: 'AWS',
      message: expect.stringContaining('AWS'),
    })
    expect((await one(id))?.lastTest).toMatchObject({ outcome: 'ok' })
  })

  it('of a simulated cloud says so', async () => {
    const simulated = await testApp({ CLOUD: 'simulated' }, { clouds })
    const { token } = await simulated.person('chief', ['admin'])
    const body = { provider: 'aws', data: aws() }
    const { json } = await simulated.call('POST', '/api/credentials/test', { as: token, body })
    expect(json).toMatchObject({ simulated: true, message: expect.stringContaining('simulated') })
    await simulated.close()
  })
})

it('is used by its face only: for whom it is shared with, and it says when', async () => {
  const { id } = await made({ collaborators: ['adalove'] })
  const { use } = server.app.credentials
  expect(await use(id, { id: ada.id, role: ['user'] })).toEqual({ provider: 'aws', data: aws() })
  const first = (await one(id))?.lastUsedAt
  expect(first).toEqual(expect.any(Number))
  await use(id)
  expect((await one(id))?.lastUsedAt).toBe(first)
  server.advance(61_000)
  await use(id)
  expect((await one(id))?.lastUsedAt).toBeGreaterThan(Number(first))
  await expect(use(id, { id: maria.id, role: ['instructor'] })).rejects.toMatchObject({ code: 'not_found' })
  await expect(use(newId())).rejects.toMatchObject({ code: 'not_found' })
})

it('comes by pages, newest first', async () => {
  for (const name of ['One', 'Two', 'Three']) await made({ name })
  const page = (query: string) => server.call('GET', `/api/credentials/?limit=2${query}`, { as: grace.token })
  const first = await page('')
  const rest = await page(`&cursor=${String(first.headers['x-next-cursor'])}`)
  const names = [first, rest].flatMap(({ json }) => (json as Credential[]).map(({ name }) => name))
  expect(names.slice(0, 3)).toEqual(['Three', 'Two', 'One'])
})

it('is recorded without its values, whoever does what', async () => {
  const { id } = await made({ name: 'Traced' })
  await post('set', { credentials: { id, data: { secret_key: `${MARK}-other` } } })
  await post('test', { id })
  await server.call('DELETE', `/api/credentials/${id}`, { as: grace.token })
  const { json } = await server.call('GET', '/api/activities?limit=4', { as: admin.token })
  expect(json).toMatchObject(
    [
      ['deleted', ''],
      ['tested', 'ok'],
      ['edited', 'secret_key'],
      ['created', 'AWS'],
    ].map(([action, detail]) => ({ actor: 'grace', action, detail, subject: 'credential Traced' })),
  )
})

it('never shows a secret: not in an answer, not in the log, not in the database', async () => {
  const data = aws({ secret_key: `${MARK}-one`, session_token: `${MARK}-two` })
  const { id } = await made({ name: 'Marked', data, collaborators: ['adalove'] })
  // A cloud that repeats what it was asked with, in all the ways it can.
  const echo = () => `You sent ${Object.values(asked.at(-1)?.[1] ?? {}).join(', ')}`
  for (const answering of [
    async () => ({ account: echo(), checked: [echo()], missing: [echo()] }),
    async () => Promise.reject(Object.assign(new Error(echo()), { statusCode: 401 })),
    async () => Promise.reject(Object.assign(new Error(echo()), { credential: data })),
    async () => Promise.reject(Object.assign(new Error(echo()), { code: 'ECONNREFUSED', cause: data })),
  ]) {
    answer = answering
    await post('test', { id })
    await post('test', { id, data: { secret_key: `${MARK}-three` } })
    await post('test', { provider: 'aws', data })
  }
  await post('test', { provider: 'aws', data: { secret_key: `${MARK}-four` } })
  await post('', { credentials: { name: 'x', provider: 'aws', data } })
  await post('', { credentials: { name: 'No', provider: 'nowhere', data } })
  await post('', { credentials: { name: 'Long', provider: 'aws', data: { secret_key: MARK.repeat(1000) } } })
  await post('set', { credentials: { id, name: '', data } })
  await post('set', { credentials: { id, provider: 'gcp', data } })
  await post('set', { credentials: { id: newId(), data } })
  await post('set', { credentials: { id, data: { access_key: null, secret_key: `${MARK}-five` } } })
  await listed(grace.token)
  await listed(ada.token)
  await server.call('GET', `/api/credentials/${id}/uses`, { as: grace.token })
  await server.call('PUT', '/api/credentials/collaborators', {
    as: grace.token,
    body: { id, collaborators: [] },
  })
  await server.call('GET', '/api/activities?limit=1000', { as: admin.token })
  await server.call('DELETE', `/api/credentials/${id}`, { as: ada.token })
  expect(server.log()).not.toBe('')
  expect(server.log()).not.toContain(MARK)
  expect(server.log()).not.toMatch(/v1\.[\w-]{40}/)
  for (const { text } of answers) {
    expect(text).not.toContain(MARK)
    expect(text).not.toMatch(/sealed|v1\.[\w-]{40}/)
  }
  const tables = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public'`.execute(server.db.kysely)
  for (const { name } of tables.rows) {
    const { rows } = await sql<{
      all: string | null
    }>`select json_agg(t)::text as all from ${sql.table(name)} t`.execute(server.db.kysely)
    expect(rows[0]?.all ?? '', name).not.toContain(MARK)
  }
})

it('tells admins and those who may choose it of every change, and no one else', async () => {
  const database = await newDatabase()
  const whole = await testServer({}, { databaseUrl: database.url })
  const chief = await whole.login('admin')
  const [user, stranger] = [await whole.person('sharer', ['user']), await whole.person('stranger', ['user'])]
  const listeners = await Promise.all(
    [chief, user.token, stranger.token].map((token) => listenAs(whole.url, token)),
  )
  const heard = () =>
    listeners.map((listener) => listener.heard.filter(({ data }) => data.changed === 'credentials').length)
  const credentials = { name: 'Live', provider: 'aws', data: aws(), collaborators: ['sharer'] }
  const { json } = await whole.call('POST', '/api/credentials/', { as: chief, body: { credentials } })
  await until(() => heard().join() === '1,1,0')
  const { id } = json as Credential
  await whole.call('POST', '/api/credentials/set', {
    as: chief,
    body: { credentials: { id, name: 'Livelier' } },
  })
  await whole.call('DELETE', `/api/credentials/${id}`, { as: chief })
  await until(() => heard()[0] === 3 && heard()[1] === 3)
  expect(heard()).toEqual([3, 3, 0])
  for (const { socket } of listeners) socket.disconnect()
  await whole.stop()
  await database.drop()
})
