import { messages } from '@flotilla/contract/messages'
import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { Copy, Pencil, Square, Trash2, Users } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../../api/query'
import { paths, useGo } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { CollaboratorsDialog } from '../../sharing/collaborators-dialog'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import type { MenuAction } from '../../ui/overlay/menu-entry'

type Name = 'edit' | 'copy' | 'share' | 'end' | 'remove'
type OpenDialog = { what: 'share' | 'end' | 'remove'; training: Training } | null

const touched = [trainings.list, trainings.view, trainings.seats]

/** The actions of a workshop, for list rows and for its page; render `dialogs` to show their dialogs. */
export function useTrainingActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (training: Training) => Record<Name, MenuAction>
  dialogs: ReactNode
} {
  const go = useGo()
  const admin = useIsAdmin()
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null)
  const close = () => setOpenDialog(null)
  const options = { admin, invalidates: touched, onSuccess: close }
  const share = useApiMutation(trainings.collaborators, { ...options, success: 'Sharing updated' })
  const end = useApiMutation(trainings.end, { ...options, success: 'Workshop ended' })
  const remove = useApiMutation(trainings.remove, {
    admin,
    success: messages.workshopDeleted,
    invalidates: touched,
    onSuccess: () => {
      close()
      onDeleted?.()
    },
  })

  const actionsOf = (training: Training): Record<Name, MenuAction> => {
    const notMine = training.mine ? null : `Only the owner, ${training.owner}, can do this`
    const ended = training.state === 'ended' ? 'This workshop has ended' : null
    const open = (what: NonNullable<OpenDialog>['what']) => () => setOpenDialog({ what, training })
    return {
      edit: {
        label: 'Edit',
        icon: Pencil,
        disabledReason: notMine ?? ended,
        onSelect: () => go(paths.editTraining(training.id)),
      },
      copy: { label: 'Copy', icon: Copy, onSelect: () => go(paths.newTraining(), { from: training.id }) },
      share: { label: 'Share', icon: Users, disabledReason: notMine, onSelect: open('share') },
      // Again, when what is to be removed then could not be.
      end: {
        label: 'End workshop',
        icon: Square,
        disabledReason: training.preparation.state === 'failed' ? null : ended,
        onSelect: open('end'),
      },
      remove: { label: 'Delete', icon: Trash2, disabledReason: notMine, onSelect: open('remove') },
    }
  }

  const training = openDialog?.training
  const dialogs = training && (
    <>
      {openDialog.what === 'share' && (
        <CollaboratorsDialog
          subject={training.name}
          owner={training.owner}
          collaborators={training.collaborators}
          hint="Other instructors who run it too: they see the seats and do everything but edit and delete it."
          onSave={(collaborators) => share.mutateAsync({ id: training.id, body: { collaborators } })}
          onClose={close}
        />
      )}
      {openDialog.what === 'end' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`End ${training.name}?`}
          confirmLabel="End workshop"
          keepLabel="Keep running"
          onConfirm={() => end.mutateAsync({ id: training.id }).catch(close)}
        >
          <p>
            Every participant is logged out now, and their desktops and apps end. Their accounts
            {training.data.seatMode === 'own' ? ' and clusters' : ''} are removed.
          </p>
        </ConfirmDialog>
      )}
      {openDialog.what === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Delete ${training.name}?`}
          confirmLabel="Delete workshop"
          typeToConfirm={training.state === 'running' ? training.name : undefined}
          onConfirm={() => remove.mutateAsync({ id: training.id }).catch(close)}
        >
          <p>
            Its registrations, attendance and messages are permanently deleted
            {training.state === 'running' ? ', and every participant is logged out now' : ''}.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
  return { actionsOf, dialogs }
}
