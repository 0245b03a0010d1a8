import { messages } from '@flotilla/contract/messages'
import { users } from '@flotilla/contract/people/users'
import { useApiMutation } from '../../../api/query'
import { logout } from '../../../login/session'
import { useUser } from '../../../session/user'
import { notices } from '../../../ui/feedback/notices-store'

/** Changes an account with admin scope. Users who change their own account have to log in again. */
export function useUserUpdate(onDone: () => void) {
  const me = useUser()
  return useApiMutation(users.update, {
    admin: true,
    invalidates: [users.list],
    onSuccess: (updated) => {
      onDone()
      const own = updated.id === me.id
      notices.success(own ? messages.ownUserUpdated : messages.userUpdated)
      if (own) logout()
    },
  })
}
