import { mayAccess } from '@flotilla/contract/access'
import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { GraduationCap, Plus } from 'lucide-react'
import { useConfig } from '../../api/config'
import { useApiList } from '../../api/list'
import { paths } from '../../paths'
import { tableSettings } from '../../session/page-settings'
import { useUser } from '../../session/user'
import { ListPage } from '../../table/list-page'
import { ButtonLink } from '../../ui/button/link'
import { EmptyState } from '../../ui/feedback/empty-state'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { ParticipantPage } from './participant/participant'
import { trainingColumns } from './training-columns'
import { useTrainingActions } from './use-training-actions'

const versionOf = ({ state, seatsTaken, handsRaised }: Training) => `${state} ${seatsTaken} ${handsRaised}`
const settings = tableSettings('trainings')
/** The polling interval, because states change with time and without an event. */
const EVERY_MS = 30_000

/** Instructors see the list of workshops; other users see their seat. */
export default function TrainingsPage() {
  return mayAccess('instructor', useUser().role) ? <TrainingList /> : <ParticipantPage />
}

function TrainingList() {
  const { trainingMenuTitle } = useConfig()
  const list = useApiList(trainings.list, {}, { everyMs: EVERY_MS })
  const { actionsOf, dialogs } = useTrainingActions()
  const menu = (training: Training): MenuEntry[] => {
    const { edit, copy, share, end, remove } = actionsOf(training)
    return [edit, copy, share, 'separator', end, remove]
  }
  const create = (
    <ButtonLink to={paths.newTraining()} variant="primary" icon={Plus}>
      New workshop
    </ButtonLink>
  )
  return (
    <ListPage
      title={trainingMenuTitle}
      description="Sessions that people join with a code, without an account."
      actions={list.data && list.data.length > 0 && create}
      list={list}
      empty={
        <EmptyState icon={GraduationCap} title="No workshops yet" action={create}>
          Choose a cluster and a time. Participants join with the session code.
        </EmptyState>
      }
      label="Workshops"
      columns={trainingColumns}
      rowVersion={versionOf}
      rowActions={menu}
      settings={settings}
    >
      {dialogs}
    </ListPage>
  )
}
