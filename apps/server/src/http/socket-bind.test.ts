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

it('checks input, access and reply of a bound request, and keeps state per connection', async () => {
  const { bindSocket, answers } = makeSocketRequests({ validateReplies: true })
  const totals = perConnection(() => ({ total: 0 }))
  bindSocket(count, ({ by }, connection) => {
    if (by < 0) fail('wrong_state', { message: 'Only upwards' })
    if (by === 0) throw new Error('a secret of ours')
    const state = totals(connection)
    state.total += by
    return by === 13 ? ({ total: 'many' } as never) : state
  })
  const send = async (connection: SocketConnection, input: unknown) =>
    answers.get('count')?.(input, connection)
  const one = connectionOf('user')
  expect(await send(one, { by: 2 })).toEqual({ ok: true, total: 2 })
  expect(await send(one, { by: 3 })).toEqual({ ok: true, total: 5 })
  expect(await send(connectionOf('user'), { by: 1 })).toEqual({ ok: true, total: 1 })
  expect(await send(one, { by: 'x' })).toEqual({ ok: false, message: 'The request is invalid' })
  expect(await send(connectionOf('participant'), { by: 1 })).toMatchObject({ ok: false })
  expect(await send(one, { by: -1 })).toEqual({ ok: false, message: 'Only upwards' })
  for (const by of [0, 13])
    expect(await send(one, { by })).toEqual({ ok: false, message: 'Something went wrong. Try again.' })
})
