import { jobOutput } from '@flotilla/contract/jobs/output'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { useEffect, useState } from 'react'
import { call } from '../../../../api/call'
import { useLive } from '../../../../api/live'
import { callSocket, onStream } from '../../../../api/socket'
import { useStore } from '../../../../store'
import { randomId } from '../../../../random-id'
import { openFeed } from './feed'
import type { Feed } from './feed'
import type { FeedSource, FeedState } from './feed-state'

export type OutputFile = { job: string; submission: string; file: string }

/** Reads output through the API, and through the socket while the job runs. */
const sourceOf = ({ job, submission, file }: OutputFile): FeedSource => ({
  // Reads that continue the output are automatic, so they do not count as user activity.
  piece: ({ from, limit }) =>
    call(
      jobs.output,
      { job, submission, file, query: { limit, ...(from !== undefined && { from }) } },
      { repeat: from !== undefined },
    ),
  follow: (from, on) => {
    const follow = randomId()
    const offs = [
      onStream('output', (piece) => piece.follow === follow && on.piece(piece)),
      onStream('outputEnd', (end) => end.follow === follow && on.lost(end.reason)),
    ]
    void callSocket(jobOutput.follow, { follow, job, submission, file, from }).then((answer) => {
      if (!answer.ok) on.lost(answer.message)
    })
    return () => {
      for (const off of offs) off()
      void callSocket(jobOutput.unfollow, { follow })
    }
  },
})

/** Opens the feed of a file. The component needs a key per file, because it keeps its feed for life. */
export function useFeed(of: OutputFile, running: boolean): { feed: Feed; state: FeedState } {
  const [feed] = useState(() => openFeed(sourceOf(of), running))
  const { connected } = useLive()
  useEffect(() => {
    feed.open()
    return () => feed.close()
  }, [feed])
  useEffect(() => feed.setRunning(running), [feed, running])
  useEffect(() => feed.setConnected(connected), [feed, connected])
  return { feed, state: useStore(feed.state) }
}
