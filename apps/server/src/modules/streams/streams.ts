import { eachOf } from '../../timing/workers'

/** The number of concurrent checks. A head node that does not respond must not delay the check of other streams. */
const AT_ONCE = 16

type Options<Stream> = {
  /** The interval between checks. In addition, streams are checked when something changes for their users. */
  everyMs: number
  /** The users whose rights the stream depends on. */
  peopleOf(stream: Stream): string[]
  /** Why the stream may not stay open with the current rights of its users, or null if it may. */
  endReason(stream: Stream): Promise<string | null>
  /** May be called for a stream that has just ended. */
  end(stream: Stream, reason: string): void
}

/** Holds what stays open for longer than a request, such as terminals, and ends it when its users lose access. */
export function makeStreams<Stream>({ everyMs, peopleOf, endReason, end }: Options<Stream>) {
  /**
   * Unordered. Not a Set: as items come and go, a Set keeps reallocating its table, which kept requests to apps alive
   * long after they had ended and cost a tenth of the time of each in garbage collection.
   */
  const open: { stream: Stream; at: number }[] = []
  const all = (): Stream[] => open.map(({ stream }) => stream)

  const check = (streams: Stream[]): Promise<void> =>
    eachOf(streams, AT_ONCE, async (stream) => {
      // A failed check ends nothing: the database may be unavailable for a moment.
      const reason = await endReason(stream).catch(() => null)
      if (reason !== null) end(stream, reason)
    })
  const timer = setInterval(() => void check(all()), everyMs).unref()

  return {
    all,
    /** Checks these streams now: after changes that `recheck` does not cover, or if one took a while to open. */
    check,
    /** Holds a stream until the returned function is called. */
    hold(stream: Stream): () => void {
      const held = { stream, at: open.length }
      open.push(held)
      return () => {
        const last = open.at(-1)
        if (!last || open[held.at] !== held) return
        open[held.at] = last
        last.at = held.at
        open.pop()
      }
    },
    /** Implements a module's `identityChanged`. */
    recheck(userId?: string): void {
      void check(all().filter((stream) => userId === undefined || peopleOf(stream).includes(userId)))
    },
    stop(endEach: (stream: Stream) => void): void {
      clearInterval(timer)
      for (const stream of all()) endEach(stream)
    },
  }
}
