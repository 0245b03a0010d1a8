import { messages } from '@flotilla/contract/messages'
import type { Registration, Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { toApiError } from '@flotilla/client/api-error'
import { UserPlus, UserX } from 'lucide-react'
import { useState } from 'react'
import { showError } from '../../../api/errors'
import { useApiMutation } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import { useIsAdmin } from '../../../session/user'
import type { Column } from '../../../table/column'
import { statusColumn, textColumn, timeColumn } from '../../../table/columns'
import { DataTable } from '../../../table/data-table'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { useManyParticipants } from './use-many-participants'

const states = {
  registered: { label: 'Registered', tone: 'gray' },
  verified: { label: 'Verified', tone: 'blue' },
  seated: { label: 'Has a seat', tone: 'green' },
} as const

const columns: readonly Column<Registration>[] = [
  textColumn({
    id: 'name',
    header: 'Name',
    value: ({ fullName }) => fullName,
    width: 160,
    grow: true,
    priority: 1,
  }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: ({ state }) => states[state].label,
    tone: ({ state }) => states[state].tone,
    width: 130,
    priority: 1,
  }),
  textColumn({ id: 'email', header: 'Email', value: (row) => row.participantEmail, width: 220, priority: 2 }),
  timeColumn({ id: 'registered', header: 'Registered', value: (row) => row.registeredAt, priority: 2 }),
  timeColumn({ id: 'verified', header: 'Verified', value: (row) => row.verifiedAt, priority: 3 }),
  timeColumn({ id: 'seen', header: 'Last seen', value: (row) => row.lastSeenAt, priority: 3 }),
]
const idOf = ({ id }: Registration) => id
const settings = tableSettings('registrations')

/** All registered participants, including those who have not logged in. */
export function Registrations({ training }: { training: Training }) {
  const [removing, setRemoving] = useState<{ people: readonly Registration[]; bulk?: BulkContext } | null>(
    null,
  )
  const close = () => setRemoving(null)
  const removeMany = useManyParticipants(training.id)
  const remove = useApiMutation(trainings.removeUsers, {
    admin: useIsAdmin(),
    success: 'Users removed completely',
    invalidates: [trainings.view, trainings.seats],
    onSuccess: close,
  })
  const people = removing?.people ?? []
  const userEmails = people.map(({ participantEmail }) => participantEmail)
  const confirm = () => {
    if (!removing?.bulk)
      return remove.mutateAsync({ id: training.id, body: { userEmails, clusterId: null } }).catch(failed)
    close()
    const named = people.map(({ id, fullName, participantEmail }) => ({
      id,
      name: fullName,
      email: participantEmail,
    }))
    void removeMany('removeUsers', named, removing.bulk)
  }
  const failed = (error: unknown) => {
    close()
    showError(new Error(`${messages.removeUsersFailed}: ${toApiError(error).message}`))
  }
  return (
    <>
      <DataTable
        label="Registrations"
        columns={columns}
        rows={training.registrations ?? []}
        rowId={idOf}
        settings={settings}
        urlKey="registration"
        rowActions={(row) => [
          { label: 'Remove completely', icon: UserX, onSelect: () => setRemoving({ people: [row] }) },
        ]}
        bulkActions={(rows) => [
          { label: 'Remove', icon: UserX, onSelect: (bulk) => setRemoving({ people: rows, bulk }) },
        ]}
        empty={
          <EmptyState icon={UserPlus} title="No one has registered yet">
            People register with the session code, before or after the start.
          </EmptyState>
        }
      />
      {removing && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove ${people.length === 1 ? people[0]?.fullName : `${people.length} people`} completely?`}
          confirmLabel="Remove completely"
          onConfirm={confirm}
        >
          <p>
            Their registrations, accounts and attendance are permanently deleted, and they are logged out.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
