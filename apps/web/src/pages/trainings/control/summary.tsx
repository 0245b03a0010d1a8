import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { COUNTDOWN_TICK_MS } from '@flotilla/contract/limits'
import { Download } from 'lucide-react'
import { download } from '../../../api/download'
import { showError } from '../../../api/errors'
import { useApiQuery } from '../../../api/query'
import { countdownText } from '../../../session/due'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { KeyValue } from '../../../ui/text/key-value'
import { sumText } from '../../../ui/text/price-text'
import { RelativeTime } from '../../../ui/text/relative-time'
import { useNow } from '../../../ui/text/use-now'

const COST_EVERY_MS = 60_000

/** The state of the workshop at a glance. */
export function Summary({ training }: { training: Training }) {
  const { id, data, state, seatsTaken, registered, handsRaised } = training
  const seats = useApiQuery(trainings.seats, { id })
  const cost = useApiQuery(trainings.cost, { id }, { everyMs: COST_EVERY_MS })
  const online = seats.data?.filter((seat) => seat.online).length
  return (
    <Card
      title="Overview"
      footer={
        <Button
          icon={Download}
          onClick={() =>
            void download(trainings.attendance, { id }, `${training.name} attendance.csv`).catch(showError)
          }
        >
          Attendance (CSV)
        </Button>
      }
    >
      <KeyValue
        columns={2}
        items={[
          { label: 'Seats taken', value: `${seatsTaken} of ${data.seats}` },
          { label: 'Online', value: online },
          { label: 'Registered', value: registered },
          { label: 'Hands raised', value: handsRaised },
          {
            label: state === 'running' ? 'Time left' : state === 'scheduled' ? 'Starts' : 'Ended',
            value:
              state === 'running' ? (
                <TimeLeft endTime={data.endTime} />
              ) : (
                <RelativeTime at={state === 'scheduled' ? data.startTime : data.endTime} />
              ),
          },
          {
            label: state === 'ended' ? 'Cost' : 'Cost so far',
            value: cost.data && (
              <>
                {sumText(cost.data.price)}
                {cost.data.perSeat !== null && (
                  <span className="block text-ink-3">{sumText(cost.data.perSeat)} per seat</span>
                )}
              </>
            ),
          },
        ]}
      />
    </Card>
  )
}

function TimeLeft({ endTime }: { endTime: number }) {
  const left = endTime - useNow(COUNTDOWN_TICK_MS)
  return (
    <span role="timer" className="tabular-nums">
      {countdownText(left)}
    </span>
  )
}
