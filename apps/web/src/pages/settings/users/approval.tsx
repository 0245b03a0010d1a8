import { isAdmin } from '@flotilla/contract/access'
import { countText } from '@flotilla/contract/count-text'
import { settings } from '@flotilla/contract/site/settings'
import { ui } from '@flotilla/contract/site/ui'
import { isUnapproved, users, type User } from '@flotilla/contract/people/users'
import { UserCheck, UserX } from 'lucide-react'
import { call } from '../../../api/call'
import { useApiMutation, useApiQuery, useInvalidate } from '../../../api/query'
import { useUiSettings } from '../../../api/ui-settings'
import { useSearchParam, useSetSearch } from '../../../paths'
import type { BulkAction } from '../../../table/selection/bulk-bar'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import type { Column } from '../../../table/column'
import { Button } from '../../../ui/button/button'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'

const CREATED = 'An admin created this account'
const ADMIN = 'Admins can always use this machine'

/** Whether self-registered users need approval on this site. They do not if access is immediate or never granted. */
export function useApprovalNeeded(): boolean {
  const security = useApiQuery(settings.security, {}).data
  return (security?.selfRegisteredAccess ?? security?.selfRegisteredDefault) === 'after-approval'
}

export const isWaiting = (user: User, needed: boolean): boolean =>
  needed && user.verified && isUnapproved(user)

const approvalBlockedReason = ({ registered, approvedAt }: User): string | null =>
  registered ? (approvedAt === null ? null : 'Already approved') : CREATED
const revocationBlockedReason = (user: User): string | null => {
  if (!user.registered) return CREATED
  if (isAdmin(user)) return ADMIN
  return user.approvedAt === null ? 'Not approved' : null
}

const changes = [users.list, ui.settings]
/** Users per call, few enough that the progress is visible. */
const PER_CALL = 25

export const useApprove = () => useApiMutation(users.approve, { success: 'Approved', invalidates: changes })

/** Approves the selected users or revokes their approval. The progress is shown with the selection. */
export function useApproveMany() {
  const invalidate = useInvalidate()
  return (people: readonly User[], approved: boolean, { run }: BulkContext): Promise<void> =>
    run({
      doing: approved ? 'Approving' : 'Revoking',
      done: (count) => {
        const some = countText(count, 'person', 'people')
        return approved ? `${some} approved` : `Approval revoked for ${some}`
      },
      rows: people,
      idOf: ({ id }) => id,
      nameOf: ({ username }) => username,
      perCall: PER_CALL,
      act: async (part) => {
        await call(users.approve, { body: { ids: part.map(({ id }) => id), approved } })
      },
      onEnd: () => invalidate(changes),
    })
}

export function approvalEntries(
  user: User,
  approve: (people: readonly User[]) => void,
  revoke: (people: readonly User[]) => void,
): MenuEntry[] {
  return [
    {
      label: 'Approve',
      icon: UserCheck,
      disabledReason: approvalBlockedReason(user),
      onSelect: () => approve([user]),
    },
    {
      label: 'Revoke approval',
      icon: UserX,
      disabledReason: revocationBlockedReason(user),
      onSelect: () => revoke([user]),
    },
  ]
}

/** The bulk actions of approval. They apply to the selected users for whom they are possible. */
export function approvalBulk(
  chosen: readonly User[],
  approve: (people: readonly User[], bulk: BulkContext) => void,
  revoke: (people: readonly User[], bulk: BulkContext) => void,
): BulkAction[] {
  const open = chosen.filter((user) => approvalBlockedReason(user) === null)
  const approved = chosen.filter((user) => revocationBlockedReason(user) === null)
  return [
    {
      label: open.length > 0 ? `Approve ${open.length}` : 'Approve',
      icon: UserCheck,
      disabledReason: open.length > 0 ? null : 'None of them need approval',
      onSelect: (bulk) => approve(open, bulk),
    },
    {
      label: approved.length > 0 ? `Revoke approval of ${approved.length}` : 'Revoke approval',
      icon: UserX,
      disabledReason: approved.length > 0 ? null : 'None of them were approved',
      onSelect: (bulk) => revoke(approved, bulk),
    },
  ]
}

/** A column with an Approve button. It is shown only while a user is waiting for approval. */
export const approveColumn = (needed: boolean, approve: (user: User) => void): Column<User> => ({
  id: 'approval',
  header: 'Approval',
  type: 'text',
  width: 112,
  priority: 1,
  value: (user) => (isWaiting(user, needed) ? 'Waiting' : null),
  cell: (user) =>
    isWaiting(user, needed) && (
      // The button must be smaller than the row.
      <Button
        className="h-7!"
        aria-label={`Approve ${user.username}`}
        onClick={({ currentTarget }) => {
          // The button disappears, so the focus moves to the row.
          currentTarget.closest('tr')?.focus({ preventScroll: true })
          approve(user)
        }}
      >
        Approve
      </Button>
    ),
})

const WAITING = 'waiting'
/** Whether only waiting users are shown. */
export const useWaitingOnly = (): boolean => useSearchParam(WAITING) !== undefined

export function WaitingFilter() {
  const count = useUiSettings()?.waitingForApproval ?? 0
  const on = useWaitingOnly()
  const setSearch = useSetSearch()
  if (count === 0 && !on) return null
  return (
    <Button aria-pressed={on} onClick={() => setSearch({ [WAITING]: on ? undefined : 'true' })}>
      {on ? 'Show everyone' : `Waiting for approval (${count})`}
    </Button>
  )
}

interface RevokeProps {
  people: readonly User[]
  bulk: BulkContext | undefined
  onClose: () => void
}

export function RevokeDialog({ people, bulk, onClose }: RevokeProps) {
  const many = useApproveMany()
  const revoke = useApiMutation(users.approve, {
    success: 'Approval revoked',
    invalidates: changes,
    onSuccess: onClose,
  })
  const [first] = people
  const who = people.length === 1 && first ? first.username : countText(people.length, 'person', 'people')
  const ids = people.map(({ id }) => id)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke approval for ${who}?`}
      confirmLabel="Revoke approval"
      // A failure opens the ERROR dialog.
      onConfirm={() => {
        if (!bulk) return revoke.mutateAsync({ body: { ids, approved: false } }).catch(() => {})
        onClose()
        void many(people, false, bulk)
      }}
    >
      <p>
        They can no longer submit jobs, open terminals or use files on this machine. Open terminals close
        immediately. Jobs they already submitted keep running; you can cancel them in the queue.
      </p>
    </ConfirmDialog>
  )
}
