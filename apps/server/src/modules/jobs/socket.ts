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
/** `stop`'s reason is the text shown for the end, unless the browser stopped it. */
type Followed = { me: SocketConnection['me']; submission: string; stop: AbortController }

const FOLLOWS_MAX = 16
/** Includes followers that were stopped but have not ended yet, because each of them queries the database first. */
const PUMPS_MAX = 2 * FOLLOWS_MAX
const CHECK_MS = 1000

/** Sends output to browsers as it grows. */
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

  /** Sends output until it ends or is stopped. Returns why it ended, if there is a reason to show. */
  const pump = async (
    { emit, backlog }: SocketConnection,
    { follow, job, submission, file, from: begin }: Follow,
    followed: Followed,
  ): Promise<string | null> => {
    const { me, stop } = followed
    // A character may be split across two pieces.
    const decoder = new StringDecoder('utf8')
    const release = streams.hold(followed)
    let seenAs = me()
    try {
      const pieces = outputs.follow(seenAs, job, submission, file, begin, stop.signal)
      for await (const { from, next, data } of pieces) {
        // The user's rights changed, so nothing is sent before they are checked.
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
      // The browser may have reused the name for another output, which has not ended.
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
    // Followers end with their connection; a browser must not mistake the end of this server for the end of the output.
    stop: () => streams.stop(() => {}),
  }
}
