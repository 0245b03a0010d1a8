import { eachOf } from '../../timing/workers'

/** How many are checked at once: a head node that does not respond must not keep the others waiting. */
const AT_ONCE = 16

type Options<Stream> = {
  /** How often each is checked, besides when something changes for its people. */
  everyMs: number
  /** Whose changes may end it. */
  peopleOf(stream: Stream): string[]
  /** Why it may not stay open, with the rights that its people have now, or null. */
  endReason(stream: Stream): Promise<string | null>
  /** May be called for one that has just ended. */
  end(stream: Stream, reason: string): void
}

/** What stays open for longer than one request, such as terminals: checked for as long as it does, and ended with the access to it. */
export function makeStreams<Stream>({ everyMs, peopleOf, endReason, end }: Options<Stream>) {
  /**
   * In no order. As a Set, which makes a new table again and again as things come and go, it held requests to apps long
   * after they had ended, and collecting them took a tenth of the time of each.
   */
  const open: { stream: Stream; at: number }[] = []
  const all = (): Stream[] => open.map(({ stream }) => stream)

  const check = (streams: Stream[]): Promise<void> =>
    eachOf(streams, AT_ONCE, async (stream) => {
      // A failure is no reason: a database that is away for a moment ends nothing.
      const reason = await endReason(stream).catch(() => null)
      if (reason !== null) end(stream, reason)
    })
  const timer = setInterval(() => void check(all()), everyMs).unref()

  return {
    all,
    /** Of some at once: after what `recheck` does not know of, and of one that took a while to open. */
    check,
    /** Registers one until the returned function is called. */
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
    /** As `identityChanged` of a module. */
    recheck(userId?: string): void {
      void check(all().filter((stream) => userId === undefined || peopleOf(stream).includes(userId)))
    },
    stop(endEach: (stream: Stream) => void): void {
      clearInterval(timer)
      for (const stream of all()) endEach(stream)
    },
  }
}
