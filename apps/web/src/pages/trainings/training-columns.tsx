import type { Training } from '@flotilla/contract/trainings/entity'
import { Hand } from 'lucide-react'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { linkColumn, statusColumn, textColumn, timeColumn } from '../../table/columns'
import { Glyph } from '../../ui/status/icon'
import { stateTexts } from './training-text'

export const trainingColumns: readonly Column<Training>[] = [
  linkColumn({
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    to: ({ id }) => paths.training(id),
    least: 120,
    priority: 1,
  }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: ({ state }) => stateTexts[state].label,
    tone: ({ state }) => stateTexts[state].tone,
    width: 120,
    priority: 1,
  }),
  {
    id: 'seats',
    header: 'Seats',
    type: 'number',
    width: 92,
    priority: 2,
    value: ({ seatsTaken }) => seatsTaken,
    cell: ({ seatsTaken, handsRaised, data }) => (
      <span className="inline-flex items-center gap-1.5">
        {handsRaised > 0 && (
          <span className="inline-flex items-center text-amber">
            <Glyph icon={Hand} className="size-3.5" />
            <span className="sr-only">Hands raised: {handsRaised}</span>
          </span>
        )}
        {seatsTaken} / {data.seats}
      </span>
    ),
  },
  textColumn({
    id: 'code',
    header: 'Session code',
    value: ({ data }) => data.sessionCode,
    mono: true,
    width: 124,
    priority: 2,
  }),
  timeColumn({ id: 'start', header: 'Start', value: ({ data }) => data.startTime, width: 108, priority: 2 }),
  timeColumn({ id: 'end', header: 'End', value: ({ data }) => data.endTime, width: 108, priority: 3 }),
  textColumn({ id: 'owner', header: 'Owner', value: ({ owner }) => owner, width: 110, priority: 3 }),
]
