import { users, type User } from '@flotilla/contract/people/users'
import {
  KeyRound,
  LogOut,
  Mail,
  Pencil,
  ShieldCheck,
  Trash2,
  UserCheck,
  UserPlus,
  Users as People,
} from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import { useApiList } from '../../../api/list'
import { useApiQuery } from '../../../api/query'
import { paths, useSearchParam, useSetSearch } from '../../../paths'
import { tableSettings } from '../../../session/page-settings'
import { useUser } from '../../../session/user'
import { DataTable } from '../../../table/data-table'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import type { OlderRows } from '../../../table/show-older'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { EmptyState } from '../../../ui/feedback/empty-state'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import {
  approvalBulk,
  approvalEntries,
  approveColumn,
  isWaiting,
  RevokeDialog,
  useApprovalNeeded,
  useApprove,
  useApproveMany,
  useWaitingOnly,
  WaitingFilter,
} from './approval'
import { useLockouts } from './lockouts'
import { InviteDialog } from './invite-dialog'
import { PasswordDialog } from './password-dialog'
import { RemoveDialog } from './remove-dialog'
import { RolesDialog } from './roles-dialog'
import { LogOutDialog } from './log-out-dialog'
import { userColumns } from './user-columns'
import { UserDialog } from './user-dialog'
import { mustStayAdmin } from './user-rules'

const idOf = (user: User) => user.id
const settings = tableSettings('users')

type OpenDialog =
  | { what: 'roles' | 'password' | 'invite' | 'logOut' | 'remove'; user: User }
  | { what: 'revoke'; people: readonly User[]; bulk: BulkContext | undefined }
  | { what: 'create' }
  | null

export function UsersTab() {
  const everyone = useApiList(users.list, {})
  const waitingOnly = useWaitingOnly()
  const waiting = useApiList(users.list, { query: { unapproved: 'true' } }, { enabled: waitingOnly })
  const list = waitingOnly ? waiting : everyone
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null)
  const newUser = (
    <Button variant="primary" icon={UserPlus} onClick={() => setOpenDialog({ what: 'create' })}>
      New user
    </Button>
  )
  return (
    <Async
      data={list}
      skeleton={<SkeletonRows rows={6} columns={6} />}
      empty={
        waitingOnly ? (
          <EmptyState icon={UserCheck} title="No one is waiting for approval" action={<WaitingFilter />}>
            People who register appear here until an admin approves them.
          </EmptyState>
        ) : (
          <EmptyState icon={People} title="No users" action={newUser}>
            People who register, and those you create accounts for, appear here.
          </EmptyState>
        )
      }
    >
      {(loaded) => (
        <UsersTable
          loaded={loaded}
          older={list.older}
          newUser={newUser}
          openDialog={openDialog}
          onOpenDialog={setOpenDialog}
        />
      )}
    </Async>
  )
}

interface TableProps {
  loaded: User[]
  older: OlderRows | null
  newUser: ReactNode
  openDialog: OpenDialog
  onOpenDialog: (openDialog: OpenDialog) => void
}

function UsersTable({ loaded, older, newUser, openDialog, onOpenDialog }: TableProps) {
  const me = useUser()
  const setSearch = useSetSearch()
  const edited = useEdited(loaded)
  const close = () => onOpenDialog(null)
  const approval = useApprove()
  const approveMany = useApproveMany()
  const approve = (people: readonly User[], bulk?: BulkContext) =>
    bulk
      ? void approveMany(people, true, bulk)
      : approval.mutate({ body: { ids: people.map(({ id }) => id), approved: true } })
  const revoke = (people: readonly User[], bulk?: BulkContext) =>
    onOpenDialog({ what: 'revoke', people, bulk })
  const approvalNeeded = useApprovalNeeded()
  const anyWaiting = loaded.some((user) => isWaiting(user, approvalNeeded))
  const { mutate } = approval
  const { isLockedOut, lockoutEntries } = useLockouts()
  const lockedOut = loaded.filter(isLockedOut).map(idOf).join()
  const columns = useMemo(() => {
    const ids = new Set(lockedOut.split(','))
    const all = userColumns(approvalNeeded, ({ id }) => ids.has(id))
    const [username, ...others] = all
    const approveNow = (user: User) => mutate({ body: { ids: [user.id], approved: true } })
    return username && anyWaiting ? [username, approveColumn(approvalNeeded, approveNow), ...others] : all
  }, [approvalNeeded, anyWaiting, mutate, lockedOut])
  // If not all users are loaded, the last admin is unknown, and only the server enforces the rule.
  const lastAdmin = (user: User) => (older ? null : mustStayAdmin(loaded, user))

  const actions = (user: User): MenuEntry[] => {
    const fromDirectory = user.authType === 'ldap' ? 'Logs in through an LDAP directory' : null
    return [
      ...lockoutEntries(user),
      { label: 'Edit', icon: Pencil, onSelect: () => setSearch({ edit: user.username }) },
      { label: 'Roles', icon: ShieldCheck, onSelect: () => onOpenDialog({ what: 'roles', user }) },
      // Users change their own password on the profile page, because it requires the current password.
      user.id === me.id
        ? { label: 'Change password', icon: KeyRound, to: paths.profile() }
        : {
            label: 'Change password',
            icon: KeyRound,
            disabledReason: fromDirectory,
            onSelect: () => onOpenDialog({ what: 'password', user }),
          },
      {
        label: 'Invite',
        icon: Mail,
        disabledReason: fromDirectory,
        onSelect: () => onOpenDialog({ what: 'invite', user }),
      },
      'separator',
      ...approvalEntries(user, approve, revoke),
      'separator',
      { label: 'Log out everywhere', icon: LogOut, onSelect: () => onOpenDialog({ what: 'logOut', user }) },
      {
        label: 'Remove',
        icon: Trash2,
        disabledReason: lastAdmin(user),
        onSelect: () => onOpenDialog({ what: 'remove', user }),
      },
    ]
  }

  return (
    <>
      <DataTable
        label="Users"
        columns={columns}
        rows={loaded}
        rowId={idOf}
        rowActions={actions}
        {...(approvalNeeded && {
          bulkActions: (chosen: readonly User[]) => approvalBulk(chosen, approve, revoke),
        })}
        older={older}
        settings={settings}
        toolbar={
          <>
            <WaitingFilter />
            {newUser}
          </>
        }
        initialSort={{ column: 'createdAt', descending: true }}
      />
      {openDialog?.what === 'create' && <UserDialog user={null} adminLocked={null} onClose={close} />}
      {edited && (
        <UserDialog
          user={edited}
          adminLocked={lastAdmin(edited)}
          onClose={() => setSearch({ edit: undefined })}
        />
      )}
      {openDialog?.what === 'roles' && (
        <RolesDialog user={openDialog.user} adminLocked={lastAdmin(openDialog.user)} onClose={close} />
      )}
      {openDialog?.what === 'password' && <PasswordDialog user={openDialog.user} onClose={close} />}
      {openDialog?.what === 'invite' && <InviteDialog user={openDialog.user} onClose={close} />}
      {openDialog?.what === 'revoke' && <RevokeDialog {...openDialog} onClose={close} />}
      {openDialog?.what === 'logOut' && <LogOutDialog user={openDialog.user} onClose={close} />}
      {openDialog?.what === 'remove' && (
        <RemoveDialog user={openDialog.user} loaded={loaded} isAll={older === null} onClose={close} />
      )}
    </>
  )
}

/** The user to edit, from the URL. The user is fetched if the row is not loaded yet. */
function useEdited(loaded: readonly User[]): User | undefined {
  const name = useSearchParam('edit')
  const isNamed = ({ username }: User) => username === name
  const here = loaded.find(isNamed)
  const found = useApiQuery(
    users.list,
    { query: { search: name } },
    { enabled: name !== undefined && here === undefined },
  )
  return here ?? found.data?.find(isNamed)
}
