import { users, type User } from '@flotilla/contract/people/users'
import { personTitle } from '../../../ui/text/person-title'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { CopyText } from '../../../ui/text/copy-text'
import { Dialog } from '../../../ui/overlay/dialog'
import { RelativeTime } from '../../../ui/text/relative-time'

/**
 * Creates an invitation link. It is created on request and not when the dialog opens, because each link is valid until
 * it is used or expires.
 */
export function InviteDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const invite = useApiMutation(users.invite)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Invite ${personTitle(user)}`}
      description="A personal login link. The first login confirms the account. They still need their password."
      footer={
        invite.data ? (
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" busy={invite.isPending} onClick={() => invite.mutate({ id: user.id })}>
              Create link
            </Button>
          </>
        )
      }
    >
      {invite.data && (
        <div className="flex flex-col gap-3">
          <div className="rounded-control border border-line-1 bg-surface-1 px-3 py-2">
            <CopyText label="invitation link" text={invite.data.link} />
          </div>
          <Callout tone="gray">
            Send it to {user.email || 'them'} yourself. It works once and expires{' '}
            <RelativeTime at={invite.data.expiresAt} />. It won’t be shown again.
          </Callout>
        </div>
      )}
    </Dialog>
  )
}
