import type { User } from '@flotilla/contract/people/users'
import { personTitle } from '../../../ui/text/person-title'
import { useState } from 'react'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { RoleChoices } from './role-choices'
import { useUserUpdate } from './use-user-update'
import { givenRolesOf } from './user-rules'

interface Props {
  user: User
  /** Why the admin role cannot be removed, or null. */
  adminLocked: string | null
  onClose: () => void
}

export function RolesDialog({ user, adminLocked, onClose }: Props) {
  const [held, setHeld] = useState(() => givenRolesOf(user.role))
  const update = useUserUpdate(onClose)
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={`Roles for ${personTitle(user)}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={update.isPending}
            disabledReason={held.length === 0 ? 'Choose at least one role' : null}
            onClick={() => update.mutate({ body: { id: user.id, role: held } })}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {update.error && <Callout tone="red" title={update.error.message} alert />}
        <RoleChoices held={held} onChange={setHeld} adminLocked={adminLocked} />
      </div>
    </Dialog>
  )
}
