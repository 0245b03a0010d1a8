import { StringDecoder } from 'node:string_decoder'
import { mayAccess } from '@flotilla/contract/access'
import { jobOutput } from '@flotilla/contract/jobs/output'
import type { SocketInput } from '@flotilla/contract/socket-request'
import { fail } from '../../fail'
import { perConnection, refusalText, type BindSocket, type SocketConnection } from '../../http/socket-bind'
import type { Outputs } from './outputs'

type Follow = SocketInput<typeof jobOutput.follow>

const FOLLOWS_MAX = 16
/** With those that were stopped and have not noticed yet: each of them asks the database first. */
const PUMPS_MAX = 2 * FOLLOWS_MAX
const ROLE_LOST = 'Your role no longer allows this'

/** Output that is sent as it grows. */
export function bindJobOutput(bindSocket: BindSocket, outputs: Pick<Outputs, 'follow'>): void {
  const follows = perConnection((connection) => openFollows(connection, outputs))
  bindSocket(jobOutput.follow, (input, connection) => follows(connection).start(input))
  bindSocket(jobOutput.unfollow, ({ follow }, connection) => follows(connection).stop(follow))
}

/** The outputs that one connection follows. */
function openFollows(
  { me, emit, backlog, onClose, onRecheck }: SocketConnection,
  outputs: Pick<Outputs, 'follow'>,
) {
  const follows = new Map<string, AbortController>()
  let pumps = 0
  const stopAll = (reason?: string) => {
    for (const stop of follows.values()) stop.abort(reason)
  }
  onClose(() => stopAll())
  // Access to the output of others is checked again when it is read.
  onRecheck(() => {
    if (!mayAccess(jobOutput.follow.access, me().role)) stopAll(ROLE_LOST)
  })

  const pump = async ({ follow, job, submission, file, from: begin }: Follow, stop: AbortController) => {
    // A character may lie across two pieces.
    const decoder = new StringDecoder('utf8')
    let reason: string | null = null
    try {
      const pieces = outputs.follow(me, job, submission, file, begin, stop.signal)
      for await (const { from, next, data } of pieces) {
        if (stop.signal.aborted) break
        emit('output', { follow, text: decoder.write(data), from, next, size: next })
        await backlog()
      }
    } catch (error) {
      reason = refusalText(error)
    }
    // The same name may be in use for another one by now, which has not ended.
    if (follows.get(follow) !== stop) return
    follows.delete(follow)
    // No reason for someone who stopped it themselves.
    if (stop.signal.aborted) reason = stop.signal.reason === ROLE_LOST ? ROLE_LOST : null
    emit('outputEnd', { follow, reason })
  }

  return {
    start(input: Follow) {
      const before = follows.get(input.follow)
      if ((!before && follows.size >= FOLLOWS_MAX) || pumps >= PUMPS_MAX)
        fail('wrong_state', { message: 'Too many outputs are open at the same time' })
      const stop = new AbortController()
      follows.set(input.follow, stop)
      before?.abort()
      pumps++
      void pump(input, stop).finally(() => pumps--)
      return {}
    },
    stop(follow: string) {
      follows.get(follow)?.abort()
      return {}
    },
  }
}
