import { api } from '@flotilla/contract/api'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallOptions } from '@flotilla/client/request'
import { NEXT_CURSOR } from '@flotilla/contract/limits'
import { newId } from '../../ids'
import type { Answer } from '../../../test/support/app/app'
import { MARK, aws, makeCloud, openCredentials } from '../../../test/support/app/credentials'

type Person = { id: string; token: string; username: string }
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

const { cloud, clouds, reset } = makeCloud()
const { server, admin, grace, ada, set, tested, made, listed, one, leaks } = await openCredentials(clouds)
const maria = await server.person('maria', ['instructor'])
const student = await server.person('student', ['participant'])
afterAll(() => server.close())
beforeEach(reset)

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
  it('is stored in full and returned without its secrets', async () => {
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
    // Values are trimmed, and only fields of the provider are stored.
    expect(await stored(made1.id)).toEqual({ access_key: 'AKIAIOSFODNN7WXYZ', secret_key: 's3cret/key' })
  })

  it('shows fields that are not secret in full, so that they can be corrected', async () => {
    const data = { client_id: 'app', client_secret: 'hush', subscription_id: 'sub', tenant_id: 'ten' }
    const { data: shown } = await made({ provider: 'azure', data })
    expect(shown).toEqual({
      client_id: { set: true, value: 'app', ending: null },
      client_secret: { set: true, value: null, ending: null },
      subscription_id: { set: true, value: 'sub', ending: null },
      tenant_id: { set: true, value: 'ten', ending: null },
    })
  })

  it('is refused while fields are missing, with all of them named at once', async () => {
    const body = { name: 'Half', provider: 'oracle' as const, data: { user_ocid: 'u', key_file: ' \n' } }
    const as = { token: grace.token }
    const { status, fields } = await server.refused(api.credentials.create, { body }, as)
    expect(status).toBe(400)
    expect(Object.keys(fields).toSorted()).toEqual([
      'data.compartment_ocid',
      'data.fingerprint',
      'data.key_file',
      'data.tenancy_ocid',
    ])
  })

  it('keeps the line breaks of a key and normalizes them', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n-----END PRIVATE KEY-----\r\n'
    const data = { user_ocid: 'u', tenancy_ocid: 't', compartment_ocid: 'c', fingerprint: 'f', key_file: key }
    const { id } = await made({ provider: 'oracle', data })
    expect((await stored(id)).key_file).toBe('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')
  })
})

describe('an edit', () => {
  it('keeps values that are left out or empty, and removes those that are null', async () => {
    const { id } = await made({ data: aws({ session_token: 'tok' }) })
    expect((await set({ id, name: 'Chemistry', data: { secret_key: '', access_key: ' ' } })).status).toBe(200)
    expect(await stored(id)).toEqual(aws({ session_token: 'tok' }))
    await set({ id, data: { secret_key: ' new ', session_token: null } })
    expect(await stored(id)).toEqual(aws({ secret_key: 'new' }))
    expect(await one(id)).toMatchObject({ name: 'Chemistry', data: { session_token: { set: false } } })
  })

  it('refuses to remove a required value, and to change the provider', async () => {
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

  it('removes the last test when values change, and keeps it when only the name does', async () => {
    const { id } = await made()
    await tested({ id })
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
      expect((await tested(change)).json).toMatchObject({
        fields: { [`data.${secret}`]: 'Enter it again because the address changed' },
      })
      expect((await set(change)).json).toMatchObject({
        fields: { [`credentials.data.${secret}`]: 'Enter it again because the address changed' },
      })
    }
    expect(cloud.asked).toEqual([])
    expect(await stored(id)).toEqual(data)
    // The secret is kept for the same address; for another address, the entered secret is used.
    expect((await set({ id, data: { [address]: ` ${data[address]} `, [secret]: ' ' } })).status).toBe(200)
    expect((await tested({ id, data: { ...elsewhere, [secret]: 'typed' } })).status).toBe(200)
    expect(cloud.asked.map(([, tried]) => tried)).toEqual([{ ...data, ...elsewhere, [secret]: 'typed' }])
  })

  it("needs admin scope for another user's credential", async () => {
    const { id } = await made()
    const { answer } = server
    const calls: Record<string, (as: CallOptions) => Promise<Answer>> = {
      edit: (as) => answer(api.credentials.update, { body: { id, name: 'Taken' } }, as),
      share: (as) => answer(api.credentials.collaborators, { body: { id, collaborators: [] } }, as),
      test: (as) => answer(api.credentials.test, { body: { id } }, as),
      'test with other values': (as) => answer(api.credentials.test, { body: { id, data: aws() } }, as),
      delete: (as) => answer(api.credentials.remove, { id }, as),
    }
    for (const [what, callAs] of Object.entries(calls)) {
      const { json } = await callAs({ token: admin.token })
      expect(json, what).toMatchObject({ statusCode: 403, code: 'admin_scope_needed' })
      expect(cloud.asked, what).toEqual([])
      expect((await callAs({ token: admin.token, admin: true })).status, what).toBe(200)
      cloud.asked = []
    }
  })
})

describe('sharing', () => {
  const share = (id: string, collaborators: string[]) =>
    server.answer(api.credentials.collaborators, { body: { id, collaborators } }, { token: grace.token })

  it('lets others choose the credential without seeing more than its name', async () => {
    const { id, name } = await made()
    expect(await listed(ada.token)).toEqual([])
    const { status, json } = await share(id, ['AdaLove ', 'maria', 'grace'])
    expect(status).toBe(200)
    expect(json.credential.collaborators).toEqual(['adalove', 'maria'])
    for (const person of [ada, maria])
      expect(await listed(person.token)).toEqual([{ id, name, provider: 'aws' }])
    const { mayUse, listFor } = server.app.credentials
    const as = ({ id: me }: Person, role: ('user' | 'participant' | 'admin')[]) => ({ id: me, role })
    expect(await mayUse(as(ada, ['user']), id)).toBe(true)
    expect(await listFor(as(ada, ['user']))).toHaveLength(1)
    expect(await mayUse(as(admin, ['admin']), id)).toBe(true)
    expect(await mayUse(as(student, ['user']), id)).toBe(false)
    // A former user who now only takes part in a workshop.
    expect(await mayUse(as(ada, ['participant']), id)).toBe(false)
    expect(await listFor(as(ada, ['participant']))).toEqual([])
    await share(id, [])
    expect(await listed(ada.token)).toEqual([])
    expect(await mayUse(as(ada, ['user']), id)).toBe(false)
  })

  it('is refused with the name of every user who does not exist', async () => {
    const { id } = await made({ collaborators: ['adalove'] })
    expect((await share(id, ['maria', 'nosuchuser', 'anotherone'])).json).toMatchObject({
      fields: { collaborators: 'No user named nosuchuser, anotherone' },
    })
    expect((await one(id))?.collaborators).toEqual(['adalove'])
  })

  it('is not available to participants', async () => {
    expect((await server.refused(api.credentials.list, {}, { token: student.token })).status).toBe(403)
  })

  it('passes to a new owner when the owner is removed', async () => {
    const leaver = await server.person('leaver', ['admin'])
    const { id } = await made({ name: 'Inherited', collaborators: ['adalove'] }, leaver.token)
    const remove = (newOwner?: string) =>
      server.answer(api.users.remove, { body: { id: leaver.id, newOwner } }, { token: admin.token })
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
  const remove = (id: string) => server.answer(api.credentials.remove, { id }, { token: grace.token })
  const uses = (id: string) => server.must(api.credentials.uses, { id }, { token: grace.token })

  it('is refused while the credential is in use, with a list of its uses', async () => {
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

  it('never leaves a cluster without its credential, even when both happen at once', async () => {
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

it('a credential can be used only by users it is shared with, and its last use is recorded', async () => {
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

it('the list of credentials is paged, newest first', async () => {
  for (const name of ['One', 'Two', 'Three']) await made({ name })
  const page = (cursor?: string) =>
    server.answer(api.credentials.list, { query: { limit: 2, cursor } }, { token: grace.token })
  const first = await page()
  const rest = await page(String(first.headers[NEXT_CURSOR]))
  const names = [first, rest].flatMap(({ json }) => json.map(({ name }) => name))
  expect(names.slice(0, 3)).toEqual(['Three', 'Two', 'One'])
})

it('secrets never appear in the replies or the log', () => {
  expect(leaks()).toEqual([])
})
