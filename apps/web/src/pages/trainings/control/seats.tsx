import type { Seat, Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { LayoutGrid, Table2 } from 'lucide-react'
import * as z from 'zod/mini'
import { useState } from 'react'
import { useApiQuery } from '../../../api/query'
import { pageSettings, tableSettings } from '../../../session/page-settings'
import { DataTable } from '../../../table/data-table'
import { IconButton } from '../../../ui/button/button'
import { Async } from '../../../ui/feedback/async'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { seatColumns } from './seat-columns'
import { SeatGrid } from './seat-grid'
import { useSeatActions } from './use-seat-actions'

const idOf = ({ number }: Seat) => String(number)
const versionOf = (seat: Seat) => `${seat.online} ${seat.handRaisedAt} ${seat.participantEmail}`
const table = tableSettings('seats')
const view = pageSettings('seats', z.object({ view: z.enum(['grid', 'table']) }))
/** The polling interval, because participants go offline without an event. */
const EVERY_MS = 10_000

/** All seats, live: as a grid for an overview, or as a table with selection. */
export function Seats({ training }: { training: Training }) {
  const seats = useApiQuery(trainings.seats, { id: training.id }, { everyMs: EVERY_MS })
  const [shown, setShown] = useState(() => view.load()?.view ?? 'grid')
  const { entriesOf, bulkOf, dialogs } = useSeatActions(training)
  const show = (next: 'grid' | 'table') => {
    setShown(next)
    view.save({ view: next })
  }
  const toggle = (
    <div role="group" aria-label="View" className="flex gap-1">
      <IconButton
        label="Grid"
        icon={LayoutGrid}
        aria-pressed={shown === 'grid'}
        variant={shown === 'grid' ? 'secondary' : 'ghost'}
        onClick={() => show('grid')}
      />
      <IconButton
        label="Table"
        icon={Table2}
        aria-pressed={shown === 'table'}
        variant={shown === 'table' ? 'secondary' : 'ghost'}
        onClick={() => show('table')}
      />
    </div>
  )
  return (
    <>
      <Async data={seats} skeleton={<SkeletonRows rows={6} columns={6} />}>
        {(rows) =>
          shown === 'grid' ? (
            <SeatGrid seats={rows} toolbar={toggle} entriesOf={entriesOf} />
          ) : (
            <DataTable
              label="Seats"
              columns={seatColumns}
              rows={rows}
              rowId={idOf}
              rowVersion={versionOf}
              rowActions={entriesOf}
              bulkActions={bulkOf}
              toolbar={toggle}
              settings={table}
              urlKey="seat"
            />
          )
        }
      </Async>
      {dialogs}
    </>
  )
}
