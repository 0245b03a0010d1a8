import { SEARCH_TEXT_MAX } from '@flotilla/contract/jobs/output-search'
import { ChevronDown, ChevronUp, CircleAlert, Download, Search, Trash2, WrapText } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Button, IconButton } from '../../../ui/button/button'
import { Input } from '../../../ui/form/input'

interface Props {
  search: string
  onSearch: (text: string) => void
  /** Null while there is no search. */
  matches: { count: number; more: boolean; at: number } | null
  onStep: (by: 1 | -1) => void
  onFirstError: () => void
  onClear: () => void
  /** The link to the output folder. */
  folder: ReactNode
  wrap: boolean
  onWrap: () => void
  downloading: boolean
  onDownload: () => void
  onDelete: () => void
  deleteReason: string | null
  /** Whether the content is text. Binary content can be downloaded and deleted, but not searched. */
  readable: boolean
  children: ReactNode
}

export function OutputToolbar(props: Props) {
  const { search, matches, onStep, readable } = props
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape' && matches) props.onClear()
    else return
    event.preventDefault()
  }
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-2 border-b border-line-1 px-3 py-2 print:hidden">
      <div className="mr-auto flex min-w-0 items-center gap-3">{props.children}</div>
      {readable && (
        <search className="flex items-center gap-1 max-sm:order-last max-sm:w-full">
          <div className="w-full sm:w-52">
            <Input
              aria-label="Search output"
              placeholder="Search"
              icon={Search}
              value={search}
              onChange={(event) => props.onSearch(event.currentTarget.value)}
              onKeyDown={onKey}
              maxLength={SEARCH_TEXT_MAX}
              autoComplete="off"
              spellCheck={false}
            />
          </div>
          {matches && (
            <>
              {matches.count > 0 && (
                <span className="px-1 text-label whitespace-nowrap text-ink-2 tabular-nums">
                  {`${matches.at + 1} of ${matches.count}${matches.more ? '+' : ''}`}
                </span>
              )}
              <IconButton
                label="Previous match"
                icon={ChevronUp}
                onClick={() => onStep(-1)}
                disabled={matches.count === 0}
              />
              <IconButton
                label="Next match"
                icon={ChevronDown}
                onClick={() => onStep(1)}
                disabled={matches.count === 0}
              />
            </>
          )}
        </search>
      )}
      {readable && (
        <Button icon={CircleAlert} onClick={props.onFirstError}>
          First error
        </Button>
      )}
      {readable && (
        <IconButton
          label="Wrap long lines"
          icon={WrapText}
          aria-pressed={props.wrap}
          onClick={props.onWrap}
          className={props.wrap ? 'bg-surface-3 text-ink-1' : undefined}
        />
      )}
      {props.folder}
      <Button icon={Download} busy={props.downloading} onClick={props.onDownload}>
        Download
      </Button>
      <IconButton
        label="Delete output"
        icon={Trash2}
        disabledReason={props.deleteReason}
        onClick={props.onDelete}
      />
    </div>
  )
}
