import { messages } from '@flotilla/contract/messages'
import { useRef, useState } from 'react'
import { showError } from '../../../api/errors'
import { useInvalidate } from '../../../api/query'
import { paths, useGo } from '../../../paths'
import { notices } from '../../../ui/feedback/notices-store'
import type { Attempt } from './run-example'

/** Submits the example job and shows its output. */
export function useRunExample(): { run: (clusterId: string) => void; isRunning: boolean } {
  const go = useGo()
  const invalidate = useInvalidate()
  const [isRunning, setRunning] = useState(false)
  const attempt = useRef<Attempt>({})
  const start = async (clusterId: string) => {
    const { changes, runExample } = await import('./run-example')
    const { jobId, id } = await runExample(attempt.current, clusterId)
    notices.success(messages.jobSubmitted)
    invalidate(changes)
    go(paths.job(jobId), { submission: id })
  }
  return {
    run: (clusterId) => {
      setRunning(true)
      void start(clusterId)
        .catch(showError)
        .finally(() => setRunning(false))
    },
    isRunning,
  }
}
