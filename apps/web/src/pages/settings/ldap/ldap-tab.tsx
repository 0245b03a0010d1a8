import { countText } from '@flotilla/contract/count-text'
import { messages } from '@flotilla/contract/messages'
import { ldap } from '@flotilla/contract/people/ldap'
import { ldapServers, type LdapServer } from '@flotilla/contract/people/ldap-servers'
import { FolderTree, Pencil, PlugZap, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import { useSearchParam, useSetSearch } from '../../../paths'
import { DataTable } from '../../../table/data-table'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { serverColumns } from './server-columns'
import { ServerDialog } from './server-dialog'
import { TestDialog } from './test-dialog'

const idOf = ({ id }: LdapServer) => id
const settings = tableSettings('ldap-servers')
type Opened = { what: 'create' } | { what: 'test' | 'delete'; id: string } | null

/** The LDAP directories with which users log in. */
export function LdapTab() {
  const list = useApiQuery(ldapServers.list, {})
  const [opened, setOpened] = useState<Opened>(null)
  const edit = useSearchParam('edit')
  const setSearch = useSetSearch()
  const close = () => setOpened(null)
  const find = (id: string | undefined) => list.data?.find((server) => server.id === id)
  const about = opened && opened.what !== 'create' ? find(opened.id) : undefined
  const edited = find(edit)
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setOpened({ what: 'create' })}>
      Add server
    </Button>
  )
  // A saved server is tested next.
  const onSaved = ({ id }: LdapServer) => {
    setSearch({ edit: undefined })
    setOpened({ what: 'test', id })
  }
  return (
    <>
      <Async
        data={list}
        skeleton={<SkeletonRows rows={3} columns={5} />}
        empty={
          <EmptyState icon={FolderTree} title="No LDAP servers" action={add}>
            Add a directory, and its users can log in with their own passwords.
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label="LDAP servers"
            columns={serverColumns}
            rows={rows}
            rowId={idOf}
            settings={settings}
            toolbar={add}
            rowActions={({ id }) => [
              { label: 'Edit', icon: Pencil, onSelect: () => setSearch({ edit: id }) },
              { label: 'Test', icon: PlugZap, onSelect: () => setOpened({ what: 'test', id }) },
              'separator',
              { label: 'Delete', icon: Trash2, onSelect: () => setOpened({ what: 'delete', id }) },
            ]}
          />
        )}
      </Async>
      {opened?.what === 'create' && <ServerDialog server={null} onSaved={onSaved} onClose={close} />}
      {edited && (
        <ServerDialog
          key={edited.id}
          server={edited}
          onSaved={onSaved}
          onClose={() => setSearch({ edit: undefined })}
        />
      )}
      {about && opened?.what === 'test' && <TestDialog server={about} onClose={close} />}
      {about && opened?.what === 'delete' && <DeleteDialog server={about} onClose={close} />}
    </>
  )
}

function DeleteDialog({ server, onClose }: { server: LdapServer; onClose: () => void }) {
  const remove = useApiMutation(ldapServers.remove, {
    success: messages.ldapServerDeleted,
    invalidates: [ldapServers.list, ldap.active],
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${server.name}?`}
      confirmLabel="Delete server"
      onConfirm={() => remove.mutateAsync({ id: server.id })}
    >
      {server.people > 0 ? (
        <p>
          {countText(server.people, 'user')} {server.people === 1 ? 'logs' : 'log'} in with this server. They
          are logged out now and can no longer log in. Their accounts and everything they own are kept.
        </p>
      ) : (
        <p>No user logs in with this server yet.</p>
      )}
      <p>
        Clusters are no longer shared with its users and groups. To only pause logins, make it inactive
        instead.
      </p>
    </ConfirmDialog>
  )
}
