import { messages } from '@flotilla/contract/messages'
import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { Copy, Pencil, Square } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../../api/query'
import { paths, useGo } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { notOwnerReason, useOwnedActions } from '../../sharing/use-owned-actions'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import type { MenuAction } from '../../ui/overlay/menu-entry'

type Name = 'edit' | 'copy' | 'share' | 'end' | 'remove'

const notRunReason = ({ runs }: Training): string | null =>
  runs ? null : 'Only instructors of this workshop can do this'

const touched = [trainings.list, trainings.view, trainings.seats]

/** The actions of a workshop, for list rows and for its page. Render `dialogs` to show their dialogs. */
export function useTrainingActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (training: Training) => Record<Name, MenuAction>
  dialogs: ReactNode
} {
  const go = useGo()
  const admin = useIsAdmin()
  const [ending, setEnding] = useState<Training | null>(null)
  const keep = () => setEnding(null)
  const options = { admin, invalidates: touched }
  const share = useApiMutation(trainings.collaborators, { ...options, success: 'Sharing updated' })
  const end = useApiMutation(trainings.end, { ...options, success: 'Workshop ended', onSuccess: keep })
  const remove = useApiMutation(trainings.remove, {
    ...options,
    success: messages.workshopDeleted,
    onSuccess: onDeleted,
  })
  const { ownedActions, ownedDialogs } = useOwnedActions<Training>({
    noun: 'workshop',
    shareHint:
      'Instructors who help run it. They see the seats and can do everything except edit or delete it.',
    share: ({ id }, collaborators) => share.mutateAsync({ id, body: { collaborators } }),
    remove: ({ id }) => remove.mutateAsync({ id }),
    removeText: ({ state }) => (
      <p>
        Its registrations, attendance and messages are permanently deleted
        {state === 'running' ? ', and every participant is logged out now' : ''}.
      </p>
    ),
    isTypedToRemove: ({ state }) => state === 'running',
  })

  const actionsOf = (training: Training): Record<Name, MenuAction> => {
    const ended = training.state === 'ended' ? 'This workshop has ended' : null
    return {
      ...ownedActions(training),
      edit: {
        label: 'Edit',
        icon: Pencil,
        disabledReason: notOwnerReason(training) ?? ended,
        onSelect: () => go(paths.editTraining(training.id)),
      },
      copy: {
        label: 'Duplicate',
        icon: Copy,
        onSelect: () => go(paths.newTraining(), { from: training.id }),
      },
      // An ended workshop can be ended again if its resources could not be removed.
      end: {
        label: 'End workshop',
        icon: Square,
        disabledReason: notRunReason(training) ?? (training.preparation.state === 'failed' ? null : ended),
        onSelect: () => setEnding(training),
      },
    }
  }

  const dialogs = (
    <>
      {ownedDialogs}
      {ending && (
        <ConfirmDialog
          open
          onClose={keep}
          title={`End ${ending.name}?`}
          confirmLabel="End workshop"
          keepLabel="Keep running"
          onConfirm={() => end.mutateAsync({ id: ending.id }).catch(keep)}
        >
          <p>
            Every participant is logged out now, and their desktops and apps end. Their accounts
            {ending.data.seatMode === 'own' ? ' and clusters' : ''} are removed.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
  return { actionsOf, dialogs }
}
