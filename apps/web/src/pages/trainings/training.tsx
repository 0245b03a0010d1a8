import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { MessageSquare, TimerReset } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../api/query'
import { paths, useGo, usePathParam, useSearchParam, useSetSearch } from '../../paths'
import { Button } from '../../ui/button/button'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { PageHeader } from '../../ui/layout/page-header'
import { Tabs } from '../../ui/layout/tabs'
import { Menu } from '../../ui/overlay/menu'
import { RelativeTime } from '../../ui/text/relative-time'
import { Status } from '../../ui/status/status'
import { CourseProgress } from './control/course-progress'
import { ExtendDialog } from './control/extend-dialog'
import { MessageDialog } from './control/message-dialog'
import { Messages } from './control/messages'
import { Registrations } from './control/registrations'
import { Projector } from './code/projector'
import { SessionCodeCard } from './code/session-code-card'
import { Seats } from './control/seats'
import { Summary } from './control/summary'
import { ParticipantPage } from './participant/participant'
import { PreparationTab } from './preparation/preparation-tab'
import { stateTexts } from './training-text'
import { useTrainingActions } from './use-training-actions'

/** The polling interval, because online states and times change without an event. */
const EVERY_MS = 15_000

/** The control room for users who run the workshop; the seat for participants. */
export default function TrainingPage() {
  const id = usePathParam('id') ?? ''
  const training = useApiQuery(trainings.view, { id }, { everyMs: EVERY_MS })
  return (
    <>
      {!training.data && <PageHeader title="Workshop" />}
      <Async data={training} skeleton={<SkeletonText lines={8} />}>
        {(found) => (found.runs ? <ControlRoom training={found} /> : <ParticipantPage />)}
      </Async>
    </>
  )
}

function ControlRoom({ training }: { training: Training }) {
  const go = useGo()
  const setSearch = useSetSearch()
  const tab = useSearchParam('tab') ?? 'seats'
  const projecting = useSearchParam('view') === 'projector'
  const [open, setOpen] = useState<'message' | 'extend' | null>(null)
  const { actionsOf, dialogs } = useTrainingActions({ onDeleted: () => go(paths.trainings()) })
  const { edit, copy, share, end, remove } = actionsOf(training)
  const ended = training.state === 'ended' ? 'This workshop has ended' : null
  const { state, data } = training
  return (
    <>
      <PageHeader
        title={training.name}
        meta={
          <Status
            tone={stateTexts[state].tone}
            detail={
              <>
                {state === 'scheduled' ? 'starts ' : state === 'running' && 'ends '}
                <RelativeTime at={state === 'scheduled' ? data.startTime : data.endTime} />
              </>
            }
          >
            {stateTexts[state].label}
          </Status>
        }
        description={
          training.description && <span className="whitespace-pre-line">{training.description}</span>
        }
        actions={
          <>
            <Button icon={MessageSquare} disabledReason={ended} onClick={() => setOpen('message')}>
              Message everyone
            </Button>
            <Button icon={TimerReset} disabledReason={ended} onClick={() => setOpen('extend')}>
              Extend
            </Button>
            <Menu
              label={`More actions for ${training.name}`}
              items={[edit, copy, share, 'separator', end, remove]}
            />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {training.preparation.state === 'failed' && (
          <Callout
            tone="red"
            title={training.preparation.cause ?? 'Preparing or tearing down the seats failed'}
          >
            See the log under Preparation.
          </Callout>
        )}
        <div className="grid gap-4 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
          <SessionCodeCard training={training} onProject={() => setSearch({ view: 'projector' })} />
          <Summary training={training} />
        </div>
        <Tabs
          label="Workshop"
          value={tab}
          onChange={(next) => setSearch({ tab: next === 'seats' ? undefined : next })}
          tabs={[
            {
              id: 'seats',
              label: 'Seats',
              count: training.seatsTaken,
              content: <Seats training={training} />,
            },
            ...(data.courseId === null
              ? []
              : [
                  {
                    id: 'course',
                    label: 'Course',
                    content: <CourseProgress training={training} courseId={data.courseId} />,
                  },
                ]),
            {
              id: 'registrations',
              label: 'Registrations',
              count: training.registered,
              content: <Registrations training={training} />,
            },
            { id: 'messages', label: 'Messages', content: <Messages training={training} /> },
            { id: 'preparation', label: 'Preparation', content: <PreparationTab training={training} /> },
          ]}
        />
      </div>
      {open === 'message' && <MessageDialog training={training} seats={null} onClose={() => setOpen(null)} />}
      {open === 'extend' && <ExtendDialog training={training} seats={null} onClose={() => setOpen(null)} />}
      {projecting && <Projector training={training} onClose={() => setSearch({ view: undefined })} />}
      {dialogs}
    </>
  )
}
