import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { socketRequest } from '@flotilla/contract/socket-request'
import type { Role } from '@flotilla/contract/access'
import { fail } from '../fail'
import { makeSocketRequests, perConnection, type SocketConnection } from './socket-bind'

const count = socketRequest('count', {
  summary: 'Counts',
  access: 'user',
  input: z.object({ by: z.number() }),
  reply: z.object({ total: z.number() }),
})
const connectionOf = (role: Role): SocketConnection => ({
  me: () => ({ id: 'u', username: 'ada', role: [role], sessionId: 's' }),
  emit: () => {},
  backlog: () => undefined,
  onClose: () => {},
})

it('answers a bound request by its schema, access and reply, with a state for each connection', async () => {
  const { bindSocket, answers } = makeSocketRequests({ validateReplies: true })
  const totals = perConnection(() => ({ total: 0 }))
  bindSocket(count, ({ by }, connection) => {
    if (by < 0) fail('wrong_state', { message: 'Only upwards' })
    if (by === 0) throw new Error('a secret of ours')
    const state = totals(connection)
    state.total += by
    return by === 13 ? ({ total: 'many' } as never) : state
  })
  const ask = async (connection: SocketConnection, input: unknown) =>
    answers.get('count')?.(input, connection)
  const one = connectionOf('user')
  expect(await ask(one, { by: 2 })).toEqual({ ok: true, total: 2 })
  expect(await ask(one, { by: 3 })).toEqual({ ok: true, total: 5 })
  expect(await ask(connectionOf('user'), { by: 1 })).toEqual({ ok: true, total: 1 })
  expect(await ask(one, { by: 'x' })).toEqual({ ok: false, message: 'The request is invalid' })
  expect(await ask(connectionOf('participant'), { by: 1 })).toMatchObject({ ok: false })
  expect(await ask(one, { by: -1 })).toEqual({ ok: false, message: 'Only upwards' })
  for (const by of [0, 13])
    expect(await ask(one, { by })).toEqual({ ok: false, message: 'Something went wrong. Try again.' })
})
