import { ApiError } from '@flotilla/client/api-error'
import { auth } from '@flotilla/contract/people/auth'
import { users } from '@flotilla/contract/people/users'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endSession, enterSession, session } from '../session/store'
import { testUser } from '../session/test-user'
import { call } from './call'
import { passwordPrompt } from './confirmation'
import { showError, shownError } from './errors'

const user = testUser({ role: ['admin'] })

/** A fake network: records what is sent and returns the prepared responses. */
const network = vi.fn<typeof fetch>()
const answer = (status: number, body: unknown) =>
  network.mockResolvedValueOnce(
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }),
  )
const sent = () => {
  const [url, init] = network.mock.lastCall ?? []
  return { url, method: init?.method, headers: init?.headers, body: init?.body }
}
const refusal = (statusCode: number, code: string, more: object = {}) => ({
  statusCode,
  code,
  error: 'x',
  message: `text of ${code}`,
  ...more,
})
const failed = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error('the call did not fail', { cause: error })
  return error
}

beforeEach(() => {
  network.mockReset()
  vi.stubGlobal('fetch', network)
  enterSession('token-1', user)
})
afterEach(() => vi.unstubAllGlobals())

describe('a call', () => {
  it('sends the session’s token', async () => {
    answer(200, [])
    await call(auth.sessions, {})
    expect(sent().headers).toEqual({ authorization: 'Bearer token-1' })
    answer(200, [])
    await call(auth.sessions, {}, { token: 'another' })
    expect(sent().headers).toEqual({ authorization: 'Bearer another' })
  })

  it('does not end the session when the server is unreachable', async () => {
    network.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    expect(await failed(call(auth.sessions, {}))).toMatchObject({ network: true, message: 'Network Error' })
    expect(session.get().status).toBe('in')
  })
})

describe('a 401', () => {
  it('ends the session', async () => {
    answer(401, refusal(401, 'session_ended'))
    await failed(call(auth.sessions, {}))
    expect(session.get().status).toBe('guest')
  })

  it('from a login only means a wrong password', async () => {
    answer(401, refusal(401, 'wrong_credentials'))
    await failed(call(auth.login, { body: { username: 'ada', password: 'wrong' } }))
    expect(session.get().status).toBe('in')
  })

  it('for an older token does not end the new session', async () => {
    let reply: (response: Response) => void = () => {}
    network.mockReturnValueOnce(new Promise((resolve) => (reply = resolve)))
    const slow = failed(call(auth.sessions, {}))
    enterSession('token-2', user)
    reply(new Response(JSON.stringify(refusal(401, 'session_ended')), { status: 401 }))
    await slow
    expect(session.get()).toMatchObject({ status: 'in', token: 'token-2' })
  })
})

describe('a call that requires the password', () => {
  const remove = () => call(users.remove, { body: { id: 'u2' } })
  const needed = () => answer(403, refusal(403, 'confirm_needed'))
  const dialog = () => vi.waitUntil(() => passwordPrompt.get())

  it('is retried once confirmed, with one dialog for all waiting calls', async () => {
    needed()
    needed()
    const both = [remove(), remove()]
    const prompt = await dialog()
    answer(200, { id: 'u2' })
    answer(200, { id: 'u2' })
    await vi.waitUntil(() => network.mock.calls.length === 2)
    prompt.confirmed()
    expect(await Promise.all(both)).toEqual([{ id: 'u2' }, { id: 'u2' }])
    expect(network).toHaveBeenCalledTimes(4)
    expect(sent()).toMatchObject({ url: '/api/users/remove', body: '{"id":"u2"}' })
    expect(passwordPrompt.get()).toBeNull()
  })

  it('fails silently when the user cancels, and asks again next time', async () => {
    needed()
    const first = failed(remove())
    ;(await dialog()).cancel()
    const error = await first
    expect(error).toMatchObject({ code: 'confirm_needed', message: '' })
    showError(error)
    expect(shownError.get()).toBeNull()
    expect(network).toHaveBeenCalledTimes(1)
    needed()
    const second = failed(remove())
    ;(await dialog()).cancel()
    await second
  })

  it('is aborted when the session ends', async () => {
    needed()
    const waiting = failed(remove())
    await dialog()
    endSession('silent')
    expect(await waiting).toMatchObject({ message: '' })
    expect(passwordPrompt.get()).toBeNull()
  })
})
