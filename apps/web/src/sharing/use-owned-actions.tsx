import { Trash2, Users } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'
import type { MenuAction } from '../ui/overlay/menu-entry'
import { CollaboratorsDialog } from './collaborators-dialog'

interface Owned {
  name: string
  owner: string
  mine: boolean
  collaborators: readonly string[]
}

interface Options<Thing> {
  /** The noun for it, such as 'course'. */
  noun: string
  /** What collaborators can do with it, in a sentence. */
  shareHint: string
  share: (thing: Thing, collaborators: string[]) => Promise<unknown>
  remove: (thing: Thing) => Promise<unknown>
  /** What is deleted with it. */
  removeText: (thing: Thing) => ReactNode
  /** Whether its name must be typed before it is deleted. */
  isTypedToRemove?: (thing: Thing) => boolean
}

/** Why this user cannot change it, or null. */
export const notOwnerReason = ({ mine, owner }: Owned): string | null =>
  mine ? null : `Only the owner, ${owner}, can do this`

/** Sharing and deleting, the actions of everything that users own; render `ownedDialogs` to show their dialogs. */
export function useOwnedActions<Thing extends Owned>(
  options: Options<Thing>,
): {
  ownedActions: (thing: Thing) => Record<'share' | 'remove', MenuAction>
  ownedDialogs: ReactNode
} {
  const [opened, setOpened] = useState<{ what: 'share' | 'remove'; thing: Thing } | null>(null)
  const close = () => setOpened(null)
  const ownedActions = (thing: Thing) => {
    const disabledReason = notOwnerReason(thing)
    const open = (what: 'share' | 'remove') => () => setOpened({ what, thing })
    return {
      share: { label: 'Share', icon: Users, disabledReason, onSelect: open('share') },
      remove: { label: 'Delete', icon: Trash2, disabledReason, onSelect: open('remove') },
    }
  }
  if (!opened) return { ownedActions, ownedDialogs: null }
  const { what, thing } = opened
  const ownedDialogs =
    what === 'share' ? (
      <CollaboratorsDialog
        subject={thing.name}
        owner={thing.owner}
        collaborators={thing.collaborators}
        hint={options.shareHint}
        onSave={(collaborators) => options.share(thing, collaborators).then(close)}
        onClose={close}
      />
    ) : (
      <ConfirmDialog
        open
        onClose={close}
        title={`Delete ${thing.name}?`}
        confirmLabel={`Delete ${options.noun}`}
        typeToConfirm={options.isTypedToRemove?.(thing) ? thing.name : undefined}
        onConfirm={() => options.remove(thing).then(close, close)}
      >
        {options.removeText(thing)}
      </ConfirmDialog>
    )
  return { ownedActions, ownedDialogs }
}
