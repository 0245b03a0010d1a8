import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { showError } from '../../../api/errors'
import { Button } from '../../../ui/button/button'
import { cx } from '../../../ui/text/cx'
import { sizeText } from '../../../ui/text/size-text'
import type { Feed } from './feed/feed'
import type { FeedState } from './feed/feed-state'
import { OutputLine } from './output-line'
import type { RowPlace } from './feed/feed-parts'

const LINE_HEIGHT = 18
/** The distance from the end, in pixels, that still counts as the end. */
const END_PX = 24

interface Props {
  label: string
  feed: Feed
  state: FeedState
  wrap: boolean
  search: string
  /** The current match. A new object scrolls to it. */
  match: RowPlace | null
  /** Called when the user leaves the match. */
  onNewest: () => void
}

/** The loaded rows, of which only the visible ones are rendered. It stays at the end until the user scrolls up. */
export function OutputLines({ label, feed, state, wrap, search, match, onNewest }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const { rows } = feed
  // oxlint-disable-next-line react/incompatible-library -- the React compiler is not used here
  const virtualizer = useVirtualizer({
    count: rows.count(),
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => rows.firstRow() + index,
    overscan: 20,
    initialRect: { width: 0, height: 480 },
    paddingStart: 8,
    paddingEnd: 8,
    // Earlier rows are added above without moving the text; new rows keep the end visible if the user is there.
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
  })

  const isAtEnd = () => {
    const box = scroller.current
    return !box || box.scrollHeight - box.scrollTop - box.clientHeight <= END_PX
  }
  const updateAtEnd = () => {
    const now = isAtEnd()
    setAtEnd(now)
    feed.setAtEnd(now)
  }
  const toNewest = () => {
    onNewest()
    feed.toNewest()
    virtualizer.scrollToEnd()
    setAtEnd(true)
  }
  const hasRows = rows.count() > 0
  useEffect(() => {
    if (hasRows) virtualizer.scrollToEnd()
    // This runs when the first rows are loaded, and again when line heights change.
  }, [virtualizer, hasRows, wrap])
  useEffect(() => {
    const index = match ? match.row - rows.firstRow() : -1
    // The rows around the match may have been unloaded.
    if (index >= 0 && index < rows.count()) virtualizer.scrollToIndex(index, { align: 'center' })
  }, [virtualizer, rows, match])

  return (
    <div className="relative">
      {state.from > 0 && (
        <div className="flex items-center justify-center gap-3 border-b border-line-1 bg-surface-1 px-3 py-1.5">
          <Button
            variant="ghost"
            icon={ArrowUp}
            busy={state.loadingEarlier}
            onClick={() => void feed.loadEarlier().catch(showError)}
          >
            Load earlier
          </Button>
          <span className="text-label text-ink-3 tabular-nums">{sizeText(state.from)} above</span>
        </div>
      )}
      <div
        ref={scroller}
        role="log"
        aria-label={label}
        aria-live="off"
        // Makes the text scrollable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onScroll={updateAtEnd}
        className="max-h-[max(16rem,calc(100dvh-26rem))] min-h-64 overflow-auto font-mono text-label leading-[18px] -outline-offset-2 [overflow-anchor:none]"
      >
        <div
          className="relative min-w-full"
          style={{ height: virtualizer.getTotalSize(), width: wrap ? '100%' : 'max-content' }}
        >
          <div
            className="min-w-full px-4"
            style={{ transform: `translateY(${virtualizer.getVirtualItems()[0]?.start ?? 0}px)` }}
          >
            {virtualizer.getVirtualItems().map((item) => {
              const line = rows.get(item.index)
              return (
                <div
                  key={item.key}
                  data-index={item.index}
                  ref={wrap ? virtualizer.measureElement : undefined}
                  className={cx(
                    'min-h-[18px] [tab-size:8]',
                    wrap ? 'whitespace-pre-wrap wrap-anywhere' : 'h-[18px] whitespace-pre',
                  )}
                >
                  {line && (
                    <OutputLine
                      line={line}
                      search={search}
                      current={match?.row === item.key ? match.at : null}
                    />
                  )}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {state.behind && (
        <div className="flex items-center justify-center gap-3 border-t border-line-1 bg-surface-1 px-3 py-1.5">
          <Button
            variant="ghost"
            icon={ArrowDown}
            busy={state.loadingLater}
            onClick={() => void feed.loadLater().catch(showError)}
          >
            Load later
          </Button>
          <span className="text-label text-ink-3 tabular-nums">
            {sizeText(Math.max(0, state.size - state.next))} below
          </span>
        </div>
      )}
      {(!atEnd || state.behind) && (
        <div
          className={cx(
            'pointer-events-none absolute inset-x-0 flex justify-center',
            state.behind ? 'bottom-14' : 'bottom-3',
          )}
        >
          <Button icon={ArrowDown} onClick={toNewest} className="pointer-events-auto shadow-float">
            Jump to newest
          </Button>
        </div>
      )}
    </div>
  )
}
