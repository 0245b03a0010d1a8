import type { LogLine } from '@flotilla/contract/clusters-entity'
import { stacks, type Stack } from '@flotilla/contract/stacks'
import { useQuery } from '@tanstack/react-query'
import { ScrollText, Search } from 'lucide-react'
import { memo, useDeferredValue, useLayoutEffect, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { call } from '../../api/call'
import { useConfig } from '../../api/config'
import { useLive } from '../../api/live'
import { apiKey } from '../../api/query'
import { Async } from '../../ui/async'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/empty-state'
import { Input } from '../../ui/input'
import { SkeletonText } from '../../ui/skeleton'
import { absoluteTime } from '../../ui/time-text'

type Line = z.infer<typeof LogLine>

/** The log as it grows: each fetch asks only for what came after the last line that is here. A new build begins anew. */
function useBuildLog({ id, run }: Stack, search: string) {
  const { connected } = useLive()
  const { updateInterval } = useConfig()
  const queryKey = apiKey(stacks.logs, { id, search, build: run?.beganAt ?? null })
  return useQuery<Line[]>({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<Line[]>(queryKey) ?? []
      const after = before.at(-1)?.seq ?? 0
      const query = search ? { after, search } : { after }
      const options = { signal, repeat: before.length > 0 }
      const more = await call(stacks.logs, { id, type: 'build', query }, options)
      return more.length > 0 ? [...before, ...more] : before
    },
    // What was the log of a build that ran is fetched whole once it has ended.
    staleTime: 0,
    refetchInterval: connected ? false : updateInterval,
  })
}

export function BuildLog({ stack }: { stack: Stack }) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const log = useBuildLog(stack, search)
  return (
    <section aria-label="Build log">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 className="text-section font-semibold">Log of the last build</h2>
        {stack.state === 'building' && (
          <span role="status" className="text-label text-ink-3">
            Following
          </span>
        )}
        <div className="ml-auto w-full sm:w-60">
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
      </div>
      <Async
        data={log}
        skeleton={<SkeletonText lines={8} />}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={ScrollText} title={search ? 'No line has this text' : 'Nothing built yet'}>
              {search
                ? 'Clear the search to see the whole log.'
                : 'What happens in a build is written here, line by line.'}
            </EmptyState>
          </div>
        }
      >
        {(lines) => <Lines lines={lines} />}
      </Async>
    </section>
  )
}

/** Stays at the end while somebody is at the end, and leaves them alone when they read further up. */
function Lines({ lines }: { lines: readonly Line[] }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <div
      ref={box}
      role="log"
      aria-label="Build log"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight > scrollHeight - 8
      }}
      className="max-h-[max(20rem,calc(100dvh-28rem))] overflow-auto rounded-card border border-line-1 bg-surface-2 py-2 font-mono text-label"
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
      {new Date(time).toLocaleTimeString()}
    </time>
    <span
      className={cx(
        'min-w-0 whitespace-pre-wrap wrap-anywhere',
        /^(failed|build '.*' errored)/i.test(text) && 'text-red',
      )}
    >
      {text}
    </span>
  </div>
))
