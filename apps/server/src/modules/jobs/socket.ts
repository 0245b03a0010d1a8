import { StringDecoder } from 'node:string_decoder'
import { mayAccess } from '@flotilla/contract/access'
import { jobOutput } from '@flotilla/contract/jobs/output'
import type { SocketInput } from '@flotilla/contract/socket-request'
import { fail } from '../../fail'
import type { SessionCaller } from '../../http/caller'
import { perConnection, refusalText, type BindSocket, type SocketConnection } from '../../http/socket-bind'
import { makeStreams } from '../streams/streams'
import type { Outputs } from './outputs'

type Follow = SocketInput<typeof jobOutput.follow>
/** The signal's reason is why it ended, unless its browser stopped it. */
type Followed = { me: SocketConnection['me']; submission: string; stop: AbortController }

const FOLLOWS_MAX = 16
/** With those that were stopped and have not noticed yet: each of them asks the database first. */
const PUMPS_MAX = 2 * FOLLOWS_MAX
const CHECK_MS = 1000

/** Output that is sent as it grows. */
export function makeFollowedOutput(
  outputs: Pick<Outputs, 'follow' | 'lostReason'>,
  callerOf: (sessionId: string) => Promise<SessionCaller | null>,
) {
  const endReason = async ({ me, submission }: Followed): Promise<string | null> => {
    const now = await callerOf(me().sessionId)
    if (!now) return 'Your session has ended'
    if (!mayAccess(jobOutput.follow.access, now.role)) return 'Your role no longer allows this'
    return outputs.lostReason(now, submission)
  }
  const end = ({ stop }: Followed, reason: string): void => stop.abort(reason)
  const streams = makeStreams({
    everyMs: CHECK_MS,
    peopleOf: ({ me }: Followed) => [me().id],
    endReason,
    end,
  })

  /** Until it has ended or is stopped. Answers why it ended, if there is a reason that its browser does not know. */
  const pump = async (
    { emit, backlog }: SocketConnection,
    { follow, job, submission, file, from: begin }: Follow,
    followed: Followed,
  ): Promise<string | null> => {
    const { me, stop } = followed
    // A character may lie across two pieces.
    const decoder = new StringDecoder('utf8')
    const release = streams.hold(followed)
    let seenAs = me()
    try {
      const pieces = outputs.follow(seenAs, job, submission, file, begin, stop.signal)
      for await (const { from, next, data } of pieces) {
        // The rights of the person changed: nothing is sent until it is known what is left of them.
        if (me() !== seenAs) {
          seenAs = me()
          const reason = await endReason(followed)
          if (reason !== null) end(followed, reason)
        }
        if (stop.signal.aborted) break
        emit('output', { follow, text: decoder.write(data), from, next, size: next })
        await backlog()
      }
    } catch (error) {
      if (!stop.signal.aborted) return refusalText(error)
    } finally {
      release()
    }
    return typeof stop.signal.reason === 'string' ? stop.signal.reason : null
  }

  /** The outputs that one connection follows. */
  const openFollows = (connection: SocketConnection) => {
    const { me, emit, onClose } = connection
    const follows = new Map<string, AbortController>()
    let pumps = 0
    onClose(() => {
      for (const stop of follows.values()) stop.abort()
    })
    const run = async (input: Follow, stop: AbortController): Promise<void> => {
      const reason = await pump(connection, input, { me, submission: input.submission, stop })
      // The same name may be in use for another one by now, which has not ended.
      if (follows.get(input.follow) !== stop) return
      follows.delete(input.follow)
      emit('outputEnd', { follow: input.follow, reason })
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
        void run(input, stop).finally(() => pumps--)
        return {}
      },
      stop(follow: string) {
        follows.get(follow)?.abort()
        return {}
      },
    }
  }

  return {
    bind(bindSocket: BindSocket): void {
      const follows = perConnection(openFollows)
      bindSocket(jobOutput.follow, (input, connection) => follows(connection).start(input))
      bindSocket(jobOutput.unfollow, ({ follow }, connection) => follows(connection).stop(follow))
    },
    recheck: streams.recheck,
    // Each ends with its connection. Its browser must not take the end of this server for that of the output.
    stop: () => streams.stop(() => {}),
  }
}
