import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { users, type User } from '@flotilla/contract/users'
import { KeyRound, LogOut, Mail, Pencil, ShieldCheck, Trash2, UserPlus, Users as People } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { paths, useSearchParam, useSetSearch } from '../../../paths'
import { tableSettings } from '../../../session/page-settings'
import { useUser } from '../../../session/user'
import { DataTable } from '../../../table/data-table'
import { Async } from '../../../ui/async'
import { Button } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import type { MenuEntry } from '../../../ui/menu'
import { SkeletonRows } from '../../../ui/skeleton'
import { InviteDialog } from './invite-dialog'
import { PasswordDialog } from './password-dialog'
import { RemoveDialog } from './remove-dialog'
import { RolesDialog } from './roles-dialog'
import { userColumns } from './user-columns'
import { UserDialog } from './user-dialog'
import { mustStayAdmin } from './user-rules'

const idOf = (user: User) => user.id
const settings = tableSettings('users')

type Asked = { what: 'roles' | 'password' | 'invite' | 'remove'; user: User } | { what: 'create' } | null

export function UsersTab() {
  const list = useApiQuery(users.list, { query: { limit: PAGE_SIZE_MAX } })
  const [asked, setAsked] = useState<Asked>(null)
  const newUser = (
    <Button variant="primary" icon={UserPlus} onClick={() => setAsked({ what: 'create' })}>
      New user
    </Button>
  )
  return (
    <Async
      data={list}
      skeleton={<SkeletonRows rows={6} columns={6} />}
      empty={
        <EmptyState icon={People} title="Nobody has an account" action={newUser}>
          People you make an account for, and those who register, are listed here.
        </EmptyState>
      }
    >
      {(everyone) => <UsersTable everyone={everyone} newUser={newUser} asked={asked} onAsked={setAsked} />}
    </Async>
  )
}

interface TableProps {
  everyone: User[]
  newUser: ReactNode
  asked: Asked
  onAsked: (asked: Asked) => void
}

function UsersTable({ everyone, newUser, asked, onAsked }: TableProps) {
  const me = useUser()
  const setSearch = useSetSearch()
  const editing = useSearchParam('edit')
  const edited = everyone.find(({ username }) => username === editing)
  const signOut = useApiMutation(users.signOut, {
    success: 'Signed out everywhere',
    invalidates: [users.list],
  })
  const close = () => onAsked(null)

  const actions = (user: User): MenuEntry[] => {
    const lastAdmin = mustStayAdmin(everyone, user)
    const fromDirectory = user.authType === 'ldap' ? 'Logs in with an LDAP directory' : null
    return [
      { label: 'Edit', icon: Pencil, onSelect: () => setSearch({ edit: user.username }) },
      { label: 'Roles', icon: ShieldCheck, onSelect: () => onAsked({ what: 'roles', user }) },
      // One's own needs the current password, which the profile asks for.
      user.id === me.id
        ? { label: 'Change password', icon: KeyRound, to: paths.profile() }
        : {
            label: 'Change password',
            icon: KeyRound,
            disabledReason: fromDirectory,
            onSelect: () => onAsked({ what: 'password', user }),
          },
      {
        label: 'Invite',
        icon: Mail,
        disabledReason: fromDirectory,
        onSelect: () => onAsked({ what: 'invite', user }),
      },
      'separator',
      { label: 'Sign out everywhere', icon: LogOut, onSelect: () => signOut.mutate({ id: user.id }) },
      {
        label: 'Remove',
        icon: Trash2,
        disabledReason: lastAdmin,
        onSelect: () => onAsked({ what: 'remove', user }),
      },
    ]
  }

  return (
    <>
      <DataTable
        label="Users"
        columns={userColumns}
        rows={everyone}
        rowId={idOf}
        rowActions={actions}
        settings={settings}
        toolbar={newUser}
        initialSort={{ column: 'createdAt', descending: true }}
      />
      {asked?.what === 'create' && <UserDialog user={null} everyone={everyone} onClose={close} />}
      {edited && (
        <UserDialog user={edited} everyone={everyone} onClose={() => setSearch({ edit: undefined })} />
      )}
      {asked?.what === 'roles' && <RolesDialog user={asked.user} everyone={everyone} onClose={close} />}
      {asked?.what === 'password' && <PasswordDialog user={asked.user} onClose={close} />}
      {asked?.what === 'invite' && <InviteDialog user={asked.user} onClose={close} />}
      {asked?.what === 'remove' && <RemoveDialog user={asked.user} everyone={everyone} onClose={close} />}
    </>
  )
}
