import { files, type FileEntry } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { useApiMutation } from '../../api/query'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { MoveDialog } from './move-dialog'
import { NameDialog } from './name-dialog'
import { PermissionsDialog } from './permissions-dialog'
import { joined } from './places'

export type OpenDialog = {
  what: 'folder' | 'file' | 'rename' | 'move' | 'permissions' | 'delete'
  entries: readonly FileEntry[]
}

interface Props {
  openDialog: OpenDialog
  cluster: string
  root: string
  places: readonly string[]
  path: string
  taken: readonly string[]
  onRemove: (names: readonly string[]) => Promise<unknown>
  onMadeFile: (name: string) => void
  onClose: () => void
}

export function FolderDialogs({
  openDialog,
  cluster,
  root,
  places,
  path,
  taken,
  onRemove,
  onMadeFile,
  onClose,
}: Props) {
  const invalidates = [files.list]
  const makeFolder = useApiMutation(files.makeFolder, {
    invalidates,
    success: 'Folder created',
    onSuccess: onClose,
  })
  const makeFile = useApiMutation(files.writeText, { invalidates })
  const rename = useApiMutation(files.rename, { invalidates })
  const permit = useApiMutation(files.setPermissions, { invalidates, success: 'Permissions changed' })
  const names = openDialog.entries.map(({ name }) => name)
  const [first = ''] = names

  switch (openDialog.what) {
    case 'folder':
      return (
        <NameDialog
          title="New folder"
          label="Name"
          confirmLabel="Create folder"
          taken={taken}
          onClose={onClose}
          onName={(name) => makeFolder.mutateAsync({ cluster, body: { path: joined(path, name) } })}
        />
      )
    case 'file':
      return (
        <NameDialog
          title="New file"
          label="Name"
          confirmLabel="Create file"
          taken={taken}
          onClose={onClose}
          onName={async (name) => {
            // Null: it must not exist yet.
            await makeFile.mutateAsync({
              cluster,
              body: { path: joined(path, name), text: '', modifiedAt: null },
            })
            onClose()
            onMadeFile(name)
          }}
        />
      )
    case 'rename':
      return (
        <NameDialog
          title={`Rename ${visibleName(first)}`}
          label="New name"
          confirmLabel="Rename"
          start={first}
          taken={taken}
          onClose={onClose}
          onName={async (name) => {
            await rename.mutateAsync({ cluster, body: { from: joined(path, first), to: joined(path, name) } })
            onClose()
          }}
        />
      )
    case 'move':
      return (
        <MoveDialog
          cluster={cluster}
          root={root}
          places={places}
          moved={names.map((name) => joined(path, name))}
          onClose={onClose}
          onMove={async (folder) => {
            for (const name of names) {
              await rename.mutateAsync({
                cluster,
                body: { from: joined(path, name), to: joined(folder, name) },
              })
            }
            onClose()
          }}
        />
      )
    case 'permissions':
      return (
        <PermissionsDialog
          names={names}
          start={openDialog.entries[0]?.permissions ?? ''}
          onClose={onClose}
          onSave={async (permissions) => {
            const paths = names.map((name) => joined(path, name))
            await permit.mutateAsync({ cluster, body: { paths, permissions } })
            onClose()
          }}
        />
      )
    case 'delete':
      return (
        <ConfirmDialog
          open
          onClose={onClose}
          title={names.length === 1 ? `Delete ${visibleName(first)}?` : `Delete ${names.length} items?`}
          confirmLabel="Delete"
          onConfirm={() => onRemove(names).then(onClose, () => undefined)}
        >
          <p>
            {openDialog.entries.some(({ type }) => type === 'folder')
              ? 'Folders are deleted with everything in them. This cannot be undone.'
              : 'This cannot be undone.'}
          </p>
          {names.length > 1 && (
            <ul className="max-h-40 list-disc overflow-y-auto pl-4">
              {names.map((name) => (
                <li key={name} className="wrap-anywhere">
                  {visibleName(name)}
                </li>
              ))}
            </ul>
          )}
        </ConfirmDialog>
      )
  }
}
