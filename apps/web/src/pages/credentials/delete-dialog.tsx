import { credentials, type Credential, type CredentialUse } from '@flotilla/contract/clouds/credentials'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation, useApiQuery } from '../../api/query'
import { paths } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { Dialog } from '../../ui/overlay/dialog'
import { TextLink } from '../../ui/button/link'
import { SkeletonText } from '../../ui/feedback/skeleton'

/**
 * Deletes a credential. Everything that uses it is listed and must be removed first, so that nothing is left in a cloud
 * without its key.
 */
export function DeleteDialog({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const uses = useApiQuery(credentials.uses, { id: credential.id }, { staleTime: 0 })
  const remove = useApiMutation(credentials.remove, {
    admin: true,
    success: messages.credentialDeleted,
    invalidates: [credentials.list],
    onSuccess: onClose,
  })
  const blockedReason = uses.data ? (uses.data.length > 0 ? 'It is in use' : null) : 'Checking what uses it'
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!remove.isPending}
      title={`Delete ${credential.name}?`}
      footer={
        <>
          <Button onClick={onClose} disabled={remove.isPending} data-autofocus>
            Cancel
          </Button>
          <Button
            variant="danger"
            busy={remove.isPending}
            disabledReason={blockedReason}
            onClick={() => remove.mutate({ id: credential.id })}
          >
            Delete credential
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-body text-ink-2">
        <Async
          data={uses}
          skeleton={<SkeletonText lines={2} />}
          empty={
            <p>
              Nothing uses it. The stored secrets are permanently deleted. The key stays valid in the cloud
              until you delete it there.
            </p>
          }
        >
          {(list) => <Uses uses={list} />}
        </Async>
      </div>
    </Dialog>
  )
}

/** The paths of the pages where each kind of use is managed. */
const placeOf: Record<string, (id: string) => string> = {
  cluster: (id) => paths.cluster(id),
  stack: paths.stack,
  leftover: () => paths.settings('leftovers'),
}

function Uses({ uses }: { uses: readonly CredentialUse[] }) {
  return (
    <Callout tone="amber" title={`Used by ${uses.length} ${uses.length === 1 ? 'item' : 'items'}`}>
      <ul className="max-h-48 list-disc overflow-y-auto pl-4">
        {uses.map(({ kind, id, name }) => (
          <li key={`${kind} ${id}`}>
            {kind} <TextLink to={placeOf[kind]?.(id) ?? paths.credentials()}>{name}</TextLink>
          </li>
        ))}
      </ul>
      <p className="mt-2">
        To delete this credential, first destroy and delete them, or assign them a different credential.
      </p>
    </Callout>
  )
}
