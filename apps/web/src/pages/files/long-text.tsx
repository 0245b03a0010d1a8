import { files } from '@flotilla/contract/jobs/files'
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useApiQuery } from '../../api/query'
import { CodeEditor } from '../../editor/code-editor'
import { IconButton } from '../../ui/button/button'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Input } from '../../ui/form/input'
import { sizeText } from '../../ui/text/size-text'
import { visibleName } from '@flotilla/contract/visible-name'
import { nameOf } from './places'

interface Props {
  cluster: string
  path: string
  downloadButton: ReactNode
}

/** Shows a text file that is too long for the editor, one page at a time. */
export function LongText({ cluster, path, downloadButton }: Props) {
  const [page, setPage] = useState(0)
  const found = useApiQuery(files.readPage, { cluster, query: { path, page } }, { keepPrevious: true })
  const last = (found.data?.pages ?? 1) - 1
  const goTo = (to: number) => setPage(Math.max(0, Math.min(last, to)))
  const atStart = page === 0 ? 'This is the first page' : null
  const atEnd = page >= last ? 'This is the last page' : null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-1">
        <p role="status" className="mr-auto text-label text-ink-3">
          {found.data &&
            `Read-only: too long to edit here. Showing from ${sizeText(found.data.offset)} of ${sizeText(found.data.size)}.`}
        </p>
        <IconButton label="First page" icon={ChevronFirst} disabledReason={atStart} onClick={() => goTo(0)} />
        <IconButton
          label="Previous page"
          icon={ChevronLeft}
          disabledReason={atStart}
          onClick={() => goTo(page - 1)}
        />
        <label className="flex items-center gap-1.5 px-1 text-body whitespace-nowrap text-ink-2 tabular-nums">
          Page
          <Input
            key={page}
            type="number"
            min={1}
            max={last + 1}
            defaultValue={page + 1}
            className="w-20"
            onBlur={(event) => goTo((Number(event.currentTarget.value) || 1) - 1)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') goTo((Number(event.currentTarget.value) || 1) - 1)
            }}
          />
          of {last + 1}
        </label>
        <IconButton
          label="Next page"
          icon={ChevronRight}
          disabledReason={atEnd}
          onClick={() => goTo(page + 1)}
        />
        <IconButton label="Last page" icon={ChevronLast} disabledReason={atEnd} onClick={() => goTo(last)} />
        {downloadButton}
      </div>
      <Async data={found} skeleton={<SkeletonText lines={10} />}>
        {(shown) =>
          shown.binary ? (
            <Callout tone="gray" title="This part is not text">
              Download the file to open it with another program.
            </Callout>
          ) : (
            <CodeEditor
              key={`${shown.page} ${shown.modifiedAt}`}
              readOnly
              label={`Contents of ${visibleName(nameOf(path))}`}
              value={shown.text}
              className="h-[max(20rem,calc(100dvh-19rem))]"
            />
          )
        }
      </Async>
    </div>
  )
}
