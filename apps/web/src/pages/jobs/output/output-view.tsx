import { jobs, type Submission } from '@flotilla/contract/jobs/jobs'
import { FileDigit, FileText } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../../api/download'
import { showError } from '../../../api/errors'
import { useLive } from '../../../api/live'
import { useServerResponds } from '../../../api/server-responding'
import { isOver } from '../../../submit/is-over'
import { Button } from '../../../ui/button/button'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ErrorState } from '../../../ui/feedback/error-state'
import { Delayed, SkeletonText } from '../../../ui/feedback/skeleton'
import { sizeText } from '../../../ui/text/size-text'
import { Status } from '../../../ui/status/status'
import type { FeedState } from './feed/feed-state'
import { OutputLines } from './output-lines'
import { OutputToolbar } from './output-toolbar'
import { OutputFolder } from './output-folder'
import { SearchResults } from './search/search-results'
import { useFeed } from './feed/use-feed'
import { useMatches } from './search/use-matches'

const MATCHES = { one: 'match', many: 'matches' }
const ERRORS = { one: 'error', many: 'errors' }

interface Props {
  submission: Submission
  file: string
  onDelete: () => void
}

/** One output file. It needs a key of submission and file. */
export function OutputView({ submission, file, onDelete }: Props) {
  const running = !isOver(submission.state)
  const of = { job: submission.jobId, submission: submission.id, file }
  const { feed, state } = useFeed(of, running)
  const [wrap, setWrap] = useState(false)
  const [downloading, setDownloading] = useState(false)
  const found = useMatches(of, feed, state.size)
  const { status } = state
  if (status === 'loading') {
    return (
      <div className="p-4">
        <Delayed>
          <SkeletonText lines={8} />
        </Delayed>
      </div>
    )
  }
  if (status === 'failed') return <ErrorState cause={state.problem} onRetry={feed.retry} />
  const save = async () => {
    setDownloading(true)
    try {
      const name = `${submission.jobName}-${file.replace(/\.txt$/, '')}.txt`
      await download(jobs.downloadOutput, of, name)
    } catch (error) {
      showError(error)
    } finally {
      setDownloading(false)
    }
  }

  return (
    <>
      <OutputToolbar
        search={found.typed}
        onSearch={found.search}
        matches={
          found.state && {
            count: found.state.matches.length,
            more: found.state.status !== 'done',
            at: found.index,
          }
        }
        onStep={found.step}
        onFirstError={found.firstError}
        onClear={found.clear}
        folder={<OutputFolder submission={submission} />}
        wrap={wrap}
        onWrap={() => setWrap(!wrap)}
        downloading={downloading}
        onDownload={() => void save()}
        onDelete={onDelete}
        deleteReason={running ? 'The job is still running. Cancel it first' : null}
        readable={!state.binary}
      >
        <Liveness running={running} state={state} />
      </OutputToolbar>
      {found.state && (
        <SearchResults
          state={found.state}
          noun={found.isErrors ? ERRORS : MATCHES}
          at={found.index}
          onChoose={found.choose}
          onResume={found.resume}
        />
      )}
      {state.binary ? (
        <EmptyState
          icon={FileDigit}
          title={`Binary file, ${sizeText(state.size)}`}
          action={<Button onClick={feed.showAsText}>Show as text</Button>}
        >
          {file} is not text, so it is not shown here. Download it instead.
        </EmptyState>
      ) : feed.rows.count() === 0 ? (
        <EmptyState icon={FileText} title={running ? 'No output yet' : 'No output'}>
          {running ? 'Output appears here within a second.' : 'The job wrote nothing to this file.'}
        </EmptyState>
      ) : (
        <OutputLines
          label={`Output ${file}`}
          feed={feed}
          state={state}
          wrap={wrap}
          search={found.highlight}
          match={found.place}
          onNewest={found.leave}
        />
      )}
    </>
  )
}

/** Shows whether the output is up to date. */
function Liveness({ running, state }: { running: boolean; state: FeedState }) {
  const { connected } = useLive()
  const serverResponds = useServerResponds()
  const size = <span className="text-label text-ink-3 tabular-nums">{sizeText(state.size)}</span>
  if (!running) return size
  return (
    <>
      {state.behind ? (
        <Status tone="gray">Paused</Status>
      ) : state.live && connected ? (
        <Status tone="blue">Live</Status>
      ) : (
        <Status tone="amber" detail={serverResponds ? 'checking every second' : undefined}>
          No live connection
        </Status>
      )}
      {size}
    </>
  )
}
