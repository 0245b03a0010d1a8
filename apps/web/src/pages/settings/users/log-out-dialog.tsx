import { users, type User } from '@flotilla/contract/people/users'
import { personTitle } from '../../../ui/text/person-title'
import { useApiMutation } from '../../../api/query'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'

interface Props {
  user: User
  onClose: () => void
}

/**
 * Logs a user out everywhere. The dialog warns about access tokens, because a script whose token is revoked needs a new
 * one, whereas a browser can just log in again.
 */
export function LogOutDialog({ user, onClose }: Props) {
  const logOut = useApiMutation(users.logOutEverywhere, {
    success: 'Logged out everywhere, access tokens revoked',
    invalidates: [users.list],
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Log out ${personTitle(user)}?`}
      confirmLabel="Log out everywhere"
      // A failure opens the ERROR dialog.
      onConfirm={() => logOut.mutateAsync({ id: user.id }).catch(() => {})}
    >
      <p>
        All sessions and terminals of {user.username} end immediately. Their access tokens are revoked, so
        scripts that use them stop working until they get a new one. Jobs keep running.
      </p>
    </ConfirmDialog>
  )
}
