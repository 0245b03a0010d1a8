import { NOT_BILLED } from '@flotilla/contract/clouds/providers'
import { countText } from '@flotilla/contract/count-text'
import { messages } from '@flotilla/contract/messages'
import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { isStackActionAllowed, stackBlockedReason, type StackAction } from '@flotilla/contract/stacks/states'
import { Check, Copy, Hammer, Pencil, Square } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { useConfig } from '../../api/config'
import { showError } from '../../api/errors'
import { useApiMutation } from '../../api/query'
import { paths, useGo } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { notOwnerReason, useOwnedActions } from '../../sharing/use-owned-actions'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import type { MenuAction } from '../../ui/overlay/menu-entry'
import { useBuild } from './use-build'

type StackActions = Record<
  'build' | 'finalize' | 'cancel' | 'edit' | 'clone' | 'share' | 'remove',
  MenuAction
>
type OpenDialog = { what: 'build' | 'finalize' | 'cancel'; stack: Stack } | null

const touched = [stacks.list, stacks.view, stacks.logs, stacks.imagesInfo]

/** The actions of a stack, for list rows and for its page. Render `dialogs` to show their dialogs. */
export function useStackActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (stack: Stack) => StackActions
  dialogs: ReactNode
} {
  const go = useGo()
  const admin = useIsAdmin()
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null)
  const close = () => setOpenDialog(null)
  const options = { admin, invalidates: touched, onSuccess: close }
  const build = useBuild({
    onSuccess: (id) => {
      close()
      go(paths.stack(id))
    },
  })
  const finalize = useApiMutation(stacks.finalizeBuild, options)
  const cancel = useApiMutation(stacks.cancel, options)
  const share = useApiMutation(stacks.collaborators, {
    admin,
    invalidates: touched,
    success: 'Sharing updated',
  })
  const remove = useApiMutation(stacks.remove, {
    admin,
    invalidates: touched,
    success: messages.stackDeleted,
    onSuccess: onDeleted,
  })
  const { ownedActions, ownedDialogs } = useOwnedActions<Stack>({
    noun: 'stack',
    shareHint:
      'They can see it and create clusters from its image. They cannot change it or read its scripts.',
    share: ({ id }, collaborators) => share.mutateAsync({ body: { id, collaborators } }),
    remove: ({ id, provider }) => remove.mutateAsync({ id, query: { provider } }).catch(showRemoveError),
    removeText: ({ images }) => (
      <>
        <p>Its scripts, data files and log are permanently deleted.</p>
        {images.length > 0 && (
          <p className="mt-2">
            The images stay in the cloud and cost money until you delete them there:{' '}
            <span className="font-mono text-label">{images.map(({ id }) => id).join(', ')}</span>
          </p>
        )}
      </>
    ),
  })

  const actionsOf = (stack: Stack): StackActions => {
    const blockedReason = (action: StackAction): string | null =>
      notOwnerReason(stack) ??
      (isStackActionAllowed(action, stack.state) ? null : stackBlockedReason(action, stack.state))
    const owned = ownedActions(stack)
    const open = (what: NonNullable<OpenDialog>['what']) => () => setOpenDialog({ what, stack })
    return {
      build: {
        label: stack.provider === 'maas' ? 'Register image' : 'Build',
        icon: Hammer,
        disabledReason: blockedReason('build'),
        onSelect: open('build'),
      },
      finalize: {
        label: 'Finish changes',
        icon: Check,
        disabledReason: blockedReason('finalize'),
        onSelect: open('finalize'),
      },
      cancel: {
        label: 'Cancel build',
        icon: Square,
        disabledReason: blockedReason('cancel'),
        onSelect: open('cancel'),
      },
      edit: {
        label: 'Edit',
        icon: Pencil,
        disabledReason: blockedReason('edit'),
        onSelect: () => go(paths.editStack(stack.id)),
      },
      clone: { label: 'Duplicate', icon: Copy, onSelect: () => go(paths.newStack(), { from: stack.id }) },
      share: owned.share,
      remove: {
        ...owned.remove,
        disabledReason:
          blockedReason('remove') ??
          (stack.usedBy > 0 ? `Used by ${countText(stack.usedBy, 'cluster')}` : null),
      },
    }
  }

  const stack = openDialog?.stack
  const runDialogs = stack && (
    <>
      {openDialog.what === 'build' && (
        <ConfirmDialog
          open
          danger={false}
          onClose={close}
          title={stack.provider === 'maas' ? `Register ${stack.name}?` : `Build ${stack.name}?`}
          confirmLabel={stack.provider === 'maas' ? 'Register image' : 'Build image'}
          onConfirm={() => build.mutateAsync({ body: { id: stack.id } }).catch(close)}
        >
          <BuildSummary stack={stack} />
        </ConfirmDialog>
      )}
      {openDialog.what === 'finalize' && (
        <ConfirmDialog
          open
          danger={false}
          onClose={close}
          title={`Capture ${stack.name}?`}
          confirmLabel="Capture image"
          onConfirm={() => finalize.mutateAsync({ body: { id: stack.id } }).catch(close)}
        >
          <p>
            The machine’s current state becomes the image. Your key, host keys and logs are removed first, and
            you are logged out.
          </p>
        </ConfirmDialog>
      )}
      {openDialog.what === 'cancel' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Cancel the build of ${stack.name}?`}
          confirmLabel="Cancel build"
          keepLabel="Keep building"
          onConfirm={() => cancel.mutateAsync({ id: stack.id }).catch(close)}
        >
          <p>
            The machine and all changes on it are removed, and no image is created. An image from an earlier
            build is kept.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
  const dialogs = (
    <>
      {runDialogs}
      {ownedDialogs}
    </>
  )
  return { actionsOf, dialogs }
}

/** Shows why a stack could not be removed. A failure without a reason has the text of the specification. */
function showRemoveError(error: unknown) {
  const { status, message, code } = toApiError(error)
  showError(new Error(status >= 500 || code === 'unknown' ? messages.stackDeleteFailed : message))
}

function BuildSummary({ stack }: { stack: Stack }) {
  const { simulated } = useConfig()
  if (stack.provider === 'maas')
    return <p>The console checks that MAAS has the image. Clusters with this stack can then use it.</p>
  const two = stack.provision.serverProvisioner !== null || stack.provision.dataFilesB.length > 0
  return (
    <>
      <p>
        {two
          ? 'Two machines start in your cloud account, are turned into images (one for head nodes and one for other nodes), and are removed.'
          : 'A machine starts in your cloud account, is turned into an image, and is removed.'}{' '}
        You pay while it runs, usually less than an hour, and for the image’s disk space.
      </p>
      {stack.data.customize_image && (
        <p className="mt-2">It stays open for you to customize until you finish, for a day at most.</p>
      )}
      {simulated && <p className="mt-2 text-ink-3">Simulated: {NOT_BILLED}.</p>}
    </>
  )
}
