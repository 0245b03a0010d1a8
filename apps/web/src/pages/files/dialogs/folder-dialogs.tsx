import { files, type FileEntry } from '@flotilla/contract/jobs/files'
import { countText } from '@flotilla/contract/count-text'
import { messages } from '@flotilla/contract/messages'
import { visibleName } from '@flotilla/contract/visible-name'
import { call } from '../../../api/call'
import { useApiMutation, useInvalidate } from '../../../api/query'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { MoveDialog } from './move-dialog'
import { NameDialog } from './name-dialog'
import { PermissionsDialog } from './permissions-dialog'
import { joined } from '../places'
import { useChangePermissions } from '../permissions/use-change-permissions'

export type OpenDialog = {
  what: 'folder' | 'file' | 'rename' | 'move' | 'permissions' | 'delete'
  entries: readonly FileEntry[]
  /** The context of a selection, which shows the progress. */
  bulk?: BulkContext
}

interface Props {
  openDialog: OpenDialog
  cluster: string
  root: string
  places: readonly string[]
  path: string
  taken: readonly string[]
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
  onMadeFile,
  onClose,
}: Props) {
  const invalidates = [files.list]
  const { bulk } = openDialog
  const names = openDialog.entries.map(({ name }) => name)
  const [first = ''] = names
  const makeFolder = useApiMutation(files.makeFolder, {
    invalidates,
    success: 'Folder created',
    onSuccess: onClose,
  })
  const makeFile = useApiMutation(files.writeText, { invalidates })
  const rename = useApiMutation(files.rename, { invalidates })
  const remove = useApiMutation(files.remove, { invalidates, success: messages.fileDeleted })
  const permit = useChangePermissions(cluster)
  const invalidate = useInvalidate()
  const many = (
    { run }: BulkContext,
    doing: string,
    done: (count: string) => string,
    act: (whole: string, name: string) => Promise<unknown>,
  ) => {
    onClose()
    void run({
      doing,
      done: (count) => done(countText(count, 'item')),
      rows: names,
      idOf: (name) => name,
      nameOf: visibleName,
      act: async ([name = '']) => void (await act(joined(path, name), name)),
      onEnd: () => invalidate(invalidates),
    })
  }

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
            // `modifiedAt: null` makes the call fail if the file exists.
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
            const body = (name: string) => ({ from: joined(path, name), to: joined(folder, name) })
            if (bulk)
              return many(
                bulk,
                'Moving',
                (count) => `${count} moved`,
                (_, name) => call(files.rename, { cluster, body: body(name) }),
              )
            await rename.mutateAsync({ cluster, body: body(first) })
            onClose()
          }}
        />
      )
    case 'permissions':
      return (
        <PermissionsDialog
          entries={openDialog.entries}
          onClose={onClose}
          onSave={async (permissions, options) => {
            await permit(path, openDialog.entries, permissions, options)
            onClose()
            bulk?.clear()
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
          onConfirm={() => {
            const body = (whole: string) => ({ paths: [whole] })
            if (!bulk)
              return remove
                .mutateAsync({ cluster, body: body(joined(path, first)) })
                .then(onClose, () => undefined)
            return many(
              bulk,
              'Deleting',
              (count) => `${count} deleted`,
              (whole) => call(files.remove, { cluster, body: body(whole) }),
            )
          }}
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
