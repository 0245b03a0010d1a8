import { RotateCw, TriangleAlert } from 'lucide-react'
import { ApiError } from '@flotilla/client/api-error'
import { use } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../button/button'
import { ErrorState } from './error-state'
import { Glyph } from '../status/icon'
import { isNoResponse, NO_RESPONSE, NoResponse } from './no-response'
import { PublicKey } from '../text/public-key'
import { RelativeTime } from '../text/relative-time'
import { Delayed, SkeletonText } from './skeleton'

/** A query's result, in the query library's shape. */
interface AsyncData<Data> {
  data: Data | undefined
  error: unknown
  isPending: boolean
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}

interface AsyncProps<Data> {
  data: AsyncData<Data>
  /** In the shape of the content to come. */
  skeleton?: ReactNode
  empty?: ReactNode
  /** An empty list is empty by default. */
  isEmpty?: (data: Data) => boolean
  /** Turns a failure into its cause and the next step. */
  explain?: (error: unknown) => { cause: ReactNode; nextStep?: ReactNode }
  children: (data: Data) => ReactNode
}

/**
 * The one place that distinguishes loading, failed, empty and stale. Loading is never shown as empty, and existing data
 * stays while it is refetched or if that fails. An unresponsive server is reported once, by the surrounding page.
 */
export function Async<Data>({
  data: query,
  skeleton,
  empty,
  isEmpty = isEmptyList,
  explain = plainly,
  children,
}: AsyncProps<Data>) {
  const { data, isFetching, refetch } = query
  const isShownByPage = use(NoResponse) && isNoResponse(query.error)
  const error = isShownByPage ? null : query.error
  if (data === undefined) {
    if (!error) return <Delayed>{skeleton ?? <SkeletonText />}</Delayed>
    return <ErrorState {...explain(error)} onRetry={() => void refetch()} busy={isFetching} />
  }
  return (
    <>
      {Boolean(error) && <NotRefreshed query={query} cause={explain(error).cause} />}
      {empty !== undefined && isEmpty(data) ? empty : children(data)}
    </>
  )
}

const isEmptyList = (data: unknown): boolean => Array.isArray(data) && data.length === 0

const plainly = (error: unknown) => ({
  cause: isNoResponse(error)
    ? NO_RESPONSE
    : error instanceof Error && error.message
      ? error.message
      : 'An unknown error occurred',
  ...(error instanceof ApiError &&
    error.publicKey !== undefined && { nextStep: <PublicKey text={error.publicKey} /> }),
})

function NotRefreshed({ query, cause }: { query: AsyncData<unknown>; cause: ReactNode }) {
  return (
    <div
      role="status"
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card bg-amber-soft py-1.5 pr-1.5 pl-3 text-body"
    >
      <Glyph icon={TriangleAlert} className="text-amber" />
      <p className="min-w-0 flex-1">
        <span className="font-medium">
          Could not refresh, data from <RelativeTime at={query.dataUpdatedAt} />.
        </span>{' '}
        <span className="text-ink-2">{cause}</span>
      </p>
      <Button variant="ghost" icon={RotateCw} busy={query.isFetching} onClick={() => void query.refetch()}>
        Try again
      </Button>
    </div>
  )
}
