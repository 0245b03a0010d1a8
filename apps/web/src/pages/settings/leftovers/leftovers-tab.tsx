import { leftovers, type Leftover } from '@flotilla/contract/clusters/leftovers'
import type { Reply } from '@flotilla/contract/endpoint'
import { Search, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useConfig } from '../../../api/config'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import { DataTable } from '../../../table/data-table'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { ProgressBar } from '../../../ui/feedback/progress-bar'
import { RelativeTime } from '../../../ui/text/relative-time'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { leftoverColumns } from './leftover-columns'
import { costOf, countOf } from './leftover-text'
import { NoLeftovers } from './no-leftovers'
import { RemoveDialog } from './remove-dialog'

type Found = Reply<typeof leftovers.list>

/** The polling interval, because the end of the hourly search triggers no event. */
const REFRESH_EVERY_MS = 60_000

const idOf = ({ key }: Leftover) => key
const settings = tableSettings('leftovers')

/** Cloud resources created by the console that no cluster uses. They are searched for every hour and removed here. */
export function LeftoversTab() {
  const found = useApiQuery(leftovers.list, {}, { everyMs: REFRESH_EVERY_MS })
  const search = useApiMutation(leftovers.search, { invalidates: [leftovers.list] })
  const [removing, setRemoving] = useState<{ chosen: readonly Leftover[]; bulk?: BulkContext } | null>(null)
  return (
    <section aria-label="Leftovers" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 max-w-160">
          <h2 className="text-section font-semibold">Leftovers</h2>
          <p className="mt-0.5 text-body text-ink-2">
            Cloud resources with this console’s tag that belong to no deployed cluster: disks that were kept,
            and resources that could not be removed. They may still cost money. The clouds are searched every
            hour.
          </p>
        </div>
        <Button icon={Search} busy={search.isPending} onClick={() => search.mutate({ body: {} })}>
          Search now
        </Button>
      </header>
      {search.isPending && (
        <ProgressBar
          label="Searching the clouds"
          detail="Checks every region where a credential was used, one at a time."
        />
      )}
      <Async data={found} skeleton={<SkeletonRows rows={5} columns={6} />}>
        {(all) => (
          <>
            <LastSearch found={all} />
            <DataTable
              label="Leftovers"
              columns={leftoverColumns}
              rows={all.leftovers}
              rowId={idOf}
              settings={settings}
              initialSort={{ column: 'found', descending: true }}
              filter={all.leftovers.length > 1}
              rowActions={(leftover) => [
                { label: 'Remove', icon: Trash2, onSelect: () => setRemoving({ chosen: [leftover] }) },
              ]}
              empty={<NoLeftovers found={all} searched={search.isSuccess} />}
              bulkActions={(chosen) => [
                {
                  label: 'Remove',
                  icon: Trash2,
                  onSelect: (bulk) => setRemoving({ chosen, bulk }),
                },
              ]}
            />
          </>
        )}
      </Async>
      {removing && <RemoveDialog {...removing} onClose={() => setRemoving(null)} />}
    </section>
  )
}

function LastSearch({ found: { leftovers: all, searchedAt, failures } }: { found: Found }) {
  const { simulated } = useConfig()
  const cost = costOf(all, simulated)
  return (
    <>
      {failures.map(({ credential, reason }) => (
        <Callout key={`${credential} ${reason}`} tone="amber" title={`${credential} could not be searched`}>
          <p>{reason}</p>
          <p>Earlier findings stay on the list.</p>
        </Callout>
      ))}
      {searchedAt !== null && (
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-body text-ink-2">
          <span>
            Last searched <RelativeTime at={searchedAt} />
          </span>
          {all.length > 0 && (
            <span>
              {countOf(all.length)}
              {cost !== null && `: ${cost}`}
            </span>
          )}
        </p>
      )}
    </>
  )
}
