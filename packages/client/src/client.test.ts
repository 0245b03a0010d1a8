import { auth } from '@flotilla/contract/people/auth'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { files } from '@flotilla/contract/jobs/files'
import { health } from '@flotilla/contract/site/health'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { users } from '@flotilla/contract/people/users'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from './api-error'
import { createCalls, createSend } from './client'
import type { Fetch } from './client'

const network = vi.fn<Fetch>()
const send = createSend(network)
const { call, callPage } = createCalls(send, { validate: false })

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  network.mockResolvedValueOnce(
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
  )
const sent = () => {
  const [url, init] = network.mock.lastCall ?? []
  return { url, method: init?.method, headers: init?.headers, body: init?.body }
}
const failed = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error('the call did not fail', { cause: error })
  return error
}
beforeEach(() => network.mockReset())

describe('a request', () => {
  it('has the path, query, body and headers that the contract defines', async () => {
    answer(200, { id: 'a' })
    await call(auth.endSession, { id: 'a/b c' })
    expect(sent()).toEqual({
      url: '/api/auth/sessions/a%2Fb%20c',
      method: 'DELETE',
      headers: {},
      body: null,
    })
    answer(200, [])
    await call(users.list, { query: { limit: 5, search: 'ä b', cursor: undefined } })
    expect(sent().url).toBe('/api/users/?limit=5&search=%C3%A4+b')
    answer(200, { id: 'u2' })
    await call(users.remove, { body: { id: 'u2' } }, { token: 'token-1', admin: true, repeat: true })
    expect(sent().headers).toEqual({
      authorization: 'Bearer token-1',
      'content-type': 'application/json',
      admin: 'true',
      repeatCall: 'true',
    })
    expect(sent().body).toBe('{"id":"u2"}')
  })

  it('sends raw bytes', async () => {
    answer(200, { received: 3 })
    const bytes = new Uint8Array([1, 2, 3])
    await call(files.upload, { cluster: 'c1', query: { path: 'a b.bin', offset: 0, final: 'true' }, bytes })
    expect(sent()).toMatchObject({
      url: '/api/files/c1/upload?path=a+b.bin&offset=0&final=true',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    })
  })

  it('puts a body under its wrapper key, next to the fields that stay outside', async () => {
    answer(200, {})
    await call(auth.update, { body: { firstName: 'Ada' } })
    expect(sent().body).toBe('{"user":{"firstName":"Ada"}}')
    answer(200, {})
    const cluster = { id: 'c1', name: 'Aurora', provider: 'aws', credential_id: 'k1' } as const
    await call(clusters.update, { body: cluster, beside: { deletedPkgs: ['vim'] } })
    expect(sent().body).toBe(JSON.stringify({ cluster, deletedPkgs: ['vim'] }))
    answer(200, [])
    await call(clusters.test, { beside: { id: 'c1' } })
    expect(sent().body).toBe('{"id":"c1"}')
  })

  it('sends files as a form', async () => {
    answer(201, {})
    const body = { name: 'Course', provider: 'aws', credential_id: 'k1' } as const
    const file = { name: 'setup.sh', bytes: new Uint8Array([35]) }
    await call(stacks.create, { body, beside: { dataFiles: [file, { ...file, name: 'more.sh' }] } })
    const { body: form, headers } = sent()
    expect(headers).toEqual({})
    if (!(form instanceof FormData)) throw new Error('no form was sent')
    expect(form.get('stack')).toBe(JSON.stringify(body))
    expect(form.getAll('dataFiles').map((one) => (one instanceof File ? one.name : one))).toEqual([
      'setup.sh',
      'more.sh',
    ])
  })
})

describe('a reply', () => {
  it('to a list includes the cursor of the next page, if any', async () => {
    answer(200, ['a row'], { 'x-next-cursor': '12_u1' })
    expect(await callPage(users.list, { query: { limit: 1 } })).toEqual({ rows: ['a row'], next: '12_u1' })
    answer(200, [])
    expect(await callPage(users.list, { query: { cursor: '12_u1' } })).toEqual({ rows: [], next: null })
  })

  it('is validated on request', async () => {
    const strict = createCalls(send, { validate: true })
    answer(200, { status: 'ok', version: '1' })
    expect(await strict.call(health.view, {})).toEqual({ status: 'ok', version: '1' })
    answer(200, { status: 'ok' })
    await expect(strict.call(health.view, {})).rejects.toThrow(
      'The reply to GET /api/health violates the contract',
    )
    answer(201, { status: 'ok', version: '1' })
    await expect(strict.call(health.view, {})).rejects.toThrow('violates the contract')
  })
})

describe('a failure', () => {
  it('has everything from the server’s error', async () => {
    const body = { error: 'x', message: 'text', reason: 'duplicateEntry', fields: { username: 'taken' } }
    answer(406, { statusCode: 406, code: 'duplicate_entry', ...body })
    expect(await failed(call(users.remove, { body: { id: 'u2' } }))).toMatchObject({
      status: 406,
      code: 'duplicate_entry',
      message: 'text',
      reason: 'duplicateEntry',
      fields: { username: 'taken' },
      retryAfter: undefined,
      network: false,
    })
    answer(429, { code: 'too_many_requests', message: 'Wait' }, { 'retry-after': '7' })
    expect(await failed(call(auth.sessions, {}))).toMatchObject({ status: 429, retryAfter: 7 })
  })

  it('names fields without the wrapper key', async () => {
    const fields = { 'user.email': 'is taken', other: 'is wrong', 'users.x': 'is another one' }
    answer(400, { code: 'bad_input', message: 'text', fields })
    expect((await failed(call(auth.update, { body: {} }))).fields).toEqual({
      email: 'is taken',
      other: 'is wrong',
      'users.x': 'is another one',
    })
  })

  it('has a message if the response is not from the server or there is none', async () => {
    answer(502, '<html>Bad gateway</html>')
    expect(await failed(call(auth.sessions, {}))).toMatchObject({
      status: 502,
      code: 'unknown',
      message: 'An unknown error occurred',
    })
    network.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    expect(await failed(call(auth.sessions, {}))).toMatchObject({ network: true, message: 'Network Error' })
    network.mockRejectedValueOnce(new DOMException('aborted', 'AbortError'))
    await expect(call(auth.sessions, {})).rejects.toThrow('aborted')
  })
})
