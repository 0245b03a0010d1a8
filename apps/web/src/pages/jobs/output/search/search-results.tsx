import { countText } from '@flotilla/contract/count-text'
import type { OutputMatch } from '@flotilla/contract/jobs/output-search'
import { useEffect, useRef } from 'react'
import { Button } from '../../../../ui/button/button'
import { cx } from '../../../../ui/text/cx'
import { sizeText } from '../../../../ui/text/size-text'
import { parseLine, plainStyle } from '../ansi'
import { matchText } from '../highlight'
import type { SearchState } from './search-run'

interface Props {
  state: SearchState
  /** The noun for a result, such as 'match' or 'error'. */
  noun: { one: string; many: string }
  at: number
  onChoose: (index: number) => void
  onResume: () => void
}

/** The search's progress, and the matches with their lines. */
export function SearchResults({ state, noun, at, onChoose, onResume }: Props) {
  const { status, matches } = state
  const current = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The result must not be returned from the effect, because newer browsers return a promise.
    current.current?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div className="border-b border-line-1 bg-surface-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-label text-ink-2 tabular-nums">
        <p role="status">{statusText(state, noun)}</p>
        {status === 'more' && (
          <Button variant="ghost" onClick={onResume}>
            Find more
          </Button>
        )}
        {status === 'failed' && (
          <Button variant="ghost" onClick={onResume}>
            Try again
          </Button>
        )}
      </div>
      {matches.length > 0 && (
        <ol aria-label="Matches" className="max-h-36 overflow-y-auto border-t border-line-1 py-1">
          {matches.map((match, index) => (
            <li key={match.offset}>
              <button
                ref={index === at ? current : undefined}
                type="button"
                aria-current={index === at || undefined}
                onClick={() => onChoose(index)}
                className={cx(
                  'flex w-full items-baseline gap-3 px-4 text-left font-mono text-label leading-5 -outline-offset-2',
                  index === at ? 'bg-surface-3' : 'hover:bg-surface-2',
                )}
              >
                <span className="min-w-16 shrink-0 text-right text-ink-3 tabular-nums">
                  <span className="sr-only">Line </span>
                  {match.line}
                </span>
                <MatchText match={match} />
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

const plain = (text: string) => parseLine(text, plainStyle).line.text

function MatchText({ match }: { match: OutputMatch }) {
  const found = matchText(match)
  return (
    <span className="truncate whitespace-pre">
      {plain(match.text.slice(0, match.at))}
      <mark className="rounded-[2px] bg-amber-dot/35 text-ink-1">{plain(found)}</mark>
      {plain(match.text.slice(match.at + found.length))}
    </span>
  )
}

function statusText({ status, problem, matches, searched, size }: SearchState, noun: Props['noun']): string {
  const count = matches.length === 0 ? `no ${noun.many}` : countText(matches.length, noun.one, noun.many)
  switch (status) {
    case 'searching':
      return size === 0 ? 'Searching' : `Searching: ${sizeText(searched)} of ${sizeText(size)}, ${count}`
    case 'more':
      return `Searched ${sizeText(searched)} of ${sizeText(size)}: first ${count}`
    case 'done':
      return `Searched all ${sizeText(size)}: ${count}`
    case 'failed':
      return `Not searched: ${problem ?? ''}`
  }
}
