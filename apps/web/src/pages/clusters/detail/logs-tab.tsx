import { logTypes } from '@flotilla/contract/clusters-entity'
import type { Cluster } from '@flotilla/contract/clusters-entity'
import { ScrollText, Search } from 'lucide-react'
import { memo, useDeferredValue, useLayoutEffect, useRef, useState } from 'react'
import { paths, useSearchParam, useSetSearch } from '../../../paths'
import { Async } from '../../../ui/async'
import { CopyText } from '../../../ui/copy-text'
import { cx } from '../../../ui/cx'
import { EmptyState } from '../../../ui/empty-state'
import { Input } from '../../../ui/input'
import { SkeletonText } from '../../../ui/skeleton'
import { absoluteTime } from '../../../ui/time-text'
import { logOf } from '../cluster-words'
import { useLog } from './use-log'

const names: Record<(typeof logTypes)[number], string> = {
  plan: 'Plan',
  deploy: 'Deploy',
  change: 'Change',
  stop: 'Stop',
  start: 'Start',
  destroy: 'Destroy',
  burst: 'Burst',
  connection: 'Connection',
}

export function LogsTab({ cluster }: { cluster: Cluster }) {
  const setSearch = useSetSearch()
  const wanted = useSearchParam('type')
  const now = logOf(cluster)
  const type = logTypes.find((one) => one === wanted) ?? now ?? 'deploy'
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const log = useLog(cluster.id, type, search)
  const address = `${location.origin}${paths.cluster(cluster.id, 'logs')}?type=${type}`
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <div role="group" aria-label="Kind of log" className="flex flex-wrap gap-1">
          {logTypes.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === type}
              onClick={() => setSearch({ type: one })}
              className={cx(
                'h-8 rounded-control px-2.5 text-body font-medium transition-colors',
                one === type ? 'bg-surface-3 text-ink-1' : 'text-ink-2 hover:bg-surface-3 hover:text-ink-1',
              )}
            >
              {names[one]}
            </button>
          ))}
        </div>
        <div className="w-full sm:w-60">
          <Input
            aria-label="Search the log"
            placeholder="Search the log"
            icon={Search}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <span className="ml-auto flex items-center gap-3 text-label text-ink-3">
          {now === type && <span role="status">Following</span>}
          <CopyText text={address} label="log address" display="Address of this log" />
        </span>
      </div>
      <Async
        data={log}
        skeleton={<SkeletonText lines={10} />}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={ScrollText} title={search ? 'No line has this text' : 'Nothing in this log'}>
              {search
                ? 'Another kind of log may have it.'
                : `What happens when the cluster is asked to ${type === 'connection' ? 'answer' : type} is written here, line by line.`}
            </EmptyState>
          </div>
        }
      >
        {(lines) => <Lines lines={lines} label={`${names[type]} log`} />}
      </Async>
    </div>
  )
}

type Line = { seq: number; time: number; text: string }

/** Stays at the end while somebody is at the end, and leaves them alone when they read further up. */
function Lines({ lines, label }: { lines: readonly Line[]; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <div
      ref={box}
      role="log"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight > scrollHeight - 8
      }}
      className="max-h-[max(20rem,calc(100dvh-31rem))] overflow-auto rounded-card border border-line-1 bg-surface-2 py-2 font-mono text-label"
    >
      {lines.map((line) => (
        <Entry key={line.seq} line={line} />
      ))}
    </div>
  )
}

/** Drawn once: a log only grows. */
const Entry = memo(({ line: { time, text } }: { line: Line }) => (
  <div className="flex gap-4 px-4 py-0.5 [contain-intrinsic-size:auto_20px] [content-visibility:auto] hover:bg-surface-3">
    <time
      dateTime={new Date(time).toISOString()}
      title={absoluteTime(time)}
      className="shrink-0 text-ink-3 tabular-nums max-sm:hidden"
    >
      {new Date(time).toLocaleString()}
    </time>
    <span className={cx('min-w-0 whitespace-pre-wrap wrap-anywhere', /^failed\b/i.test(text) && 'text-red')}>
      {text}
    </span>
  </div>
))
