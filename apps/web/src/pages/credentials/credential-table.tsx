import type { ProviderId } from '@flotilla/contract/site/config'
import { credentials, type Credential } from '@flotilla/contract/clouds/credentials'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { Pencil, PlugZap, Trash2, Users } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useApiMutation } from '../../api/query'
import { useSetSearch } from '../../paths'
import { tableSettings } from '../../session/page-settings'
import { CollaboratorsDialog } from '../../sharing/collaborators-dialog'
import { DataTable } from '../../table/data-table'
import type { OlderRows } from '../../table/show-older'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { credentialColumns } from './credential-columns'
import { DeleteDialog } from './delete-dialog'
import { TestDialog } from './testing/test-dialog'

const idOf = ({ id }: Credential) => id
const versionOf = ({ updatedAt, lastTest }: Credential) => `${updatedAt} ${lastTest?.at ?? 0}`
const settings = tableSettings('credentials')

interface Props {
  rows: readonly Credential[]
  older: OlderRows | null
  offered: readonly Provider[] | undefined
}

export function CredentialTable({ rows, older, offered }: Props) {
  const setSearch = useSetSearch()
  const [openDialog, setOpenDialog] = useState<{ what: 'test' | 'share' | 'delete'; id: string } | null>(null)
  const about = rows.find(({ id }) => id === openDialog?.id)
  const close = () => setOpenDialog(null)
  const nameOf = useCallback(
    (provider: ProviderId) => offered?.find(({ id }) => id === provider)?.name ?? provider,
    [offered],
  )
  const columns = useMemo(() => credentialColumns(nameOf), [nameOf])
  const test = useApiMutation(credentials.test, { admin: true, invalidates: [credentials.list] })
  const share = useApiMutation(credentials.collaborators, {
    admin: true,
    invalidates: [credentials.list],
    success: 'Sharing updated',
    onSuccess: close,
  })
  const runTest = (id: string) => {
    setOpenDialog({ what: 'test', id })
    test.mutate({ body: { id } })
  }

  const actions = ({ id }: Credential): MenuEntry[] => [
    { label: 'Edit', icon: Pencil, onSelect: () => setSearch({ edit: id }) },
    { label: 'Test', icon: PlugZap, onSelect: () => runTest(id) },
    { label: 'Share', icon: Users, onSelect: () => setOpenDialog({ what: 'share', id }) },
    'separator',
    { label: 'Delete', icon: Trash2, onSelect: () => setOpenDialog({ what: 'delete', id }) },
  ]
  return (
    <>
      <DataTable
        label="Credentials"
        columns={columns}
        rows={rows}
        rowId={idOf}
        rowVersion={versionOf}
        rowActions={actions}
        older={older}
        settings={settings}
      />
      {about && openDialog?.what === 'test' && (
        <TestDialog
          credential={about}
          cloud={nameOf(about.provider)}
          test={test}
          onAgain={() => runTest(about.id)}
          onClose={close}
        />
      )}
      {about && openDialog?.what === 'share' && (
        <CollaboratorsDialog
          subject={about.name}
          owner={about.owner}
          collaborators={about.collaborators}
          hint="They see its name and provider, and can create clusters and images with it. They cannot see its values."
          onSave={(collaborators) => share.mutateAsync({ body: { id: about.id, collaborators } })}
          onClose={close}
        />
      )}
      {about && openDialog?.what === 'delete' && <DeleteDialog credential={about} onClose={close} />}
    </>
  )
}
