import { files, type FileEntry } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import {
  Download,
  Eye,
  EyeOff,
  FilePlus,
  FolderInput,
  FolderPlus,
  FolderOpen,
  FolderUp,
  LockKeyhole,
  Pencil,
  TextCursorInput,
  Trash2,
  Upload,
} from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { useApiQuery } from '../../api/query'
import { pageSettings, tableSettings } from '../../session/page-settings'
import { DataTable } from '../../table/data-table'
import type { BulkContext } from '../../table/selection/use-bulk-run'
import { Async } from '../../ui/feedback/async'
import { Button, IconButton } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Menu } from '../../ui/overlay/menu'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { SkeletonRows } from '../../ui/feedback/skeleton'
import { entryColumns } from './entry-columns'
import { FolderDialogs, type OpenDialog } from './dialogs/folder-dialogs'
import { useGoTo } from './file-search'
import { inOrder, joined, opens, parentOf } from './places'
import { UploadTray } from './upload/upload-tray'
import { useDownload } from './use-download'
import { useUpload } from './use-upload'

const idOf = (entry: FileEntry) => entry.name
const settings = tableSettings('files')
const showing = pageSettings('files', z.object({ hidden: z.boolean() }))
const isHidden = ({ name }: FileEntry) => name.startsWith('.')
const none: FileEntry[] = []
const many = [
  { label: 'Move', icon: FolderInput, what: 'move' },
  { label: 'Permissions', icon: LockKeyhole, what: 'permissions' },
  { label: 'Delete', icon: Trash2, what: 'delete' },
] as const

interface Props {
  cluster: string
  root: string
  places: readonly string[]
  path: string
}

export function FolderView({ cluster, root, places, path }: Props) {
  const goTo = useGoTo()
  const folder = useApiQuery(files.list, { cluster, query: { path } })
  const [hidden, setHidden] = useState(() => showing.load()?.hidden ?? false)
  const all = folder.data?.entries ?? none
  const entries = useMemo(
    () => inOrder(hidden ? all : all.filter((entry) => !isHidden(entry))),
    [all, hidden],
  )
  const columns = useMemo(() => entryColumns(cluster, path), [cluster, path])
  const { save: download, busy } = useDownload(cluster)
  const upload = useUpload(cluster, path, all)
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  useUpKey(
    path === '' || places.includes(path)
      ? null
      : () => goTo({ area: cluster, path: parentOf(path), file: undefined }),
  )

  const whole = ({ name }: FileEntry) => joined(path, name)
  const saveAs = (entry: FileEntry) =>
    download(whole(entry), opens(entry) === 'folder' ? `${entry.name}.tar.gz` : entry.name)
  const menu = (entry: FileEntry): MenuEntry[] => {
    const kind = opens(entry)
    const dead =
      kind !== null
        ? null
        : entry.target === 'outside' && folder.data?.linksBlockedReason
          ? folder.data.linksBlockedReason
          : 'The link’s target cannot be opened'
    return [
      kind === 'folder'
        ? {
            label: 'Open',
            icon: FolderOpen,
            onSelect: () => goTo({ area: cluster, path: whole(entry), file: undefined }),
          }
        : {
            label: 'View and edit',
            icon: Pencil,
            disabledReason: dead,
            onSelect: () => goTo({ area: cluster, path, file: entry.name }),
          },
      {
        label: kind === 'folder' ? 'Download as .tar.gz' : 'Download',
        icon: Download,
        disabledReason: dead,
        onSelect: () => saveAs(entry),
      },
      'separator',
      {
        label: 'Rename',
        icon: TextCursorInput,
        onSelect: () => setOpenDialog({ what: 'rename', entries: [entry] }),
      },
      { label: 'Move', icon: FolderInput, onSelect: () => setOpenDialog({ what: 'move', entries: [entry] }) },
      {
        label: 'Permissions',
        icon: LockKeyhole,
        disabledReason: dead,
        onSelect: () => setOpenDialog({ what: 'permissions', entries: [entry] }),
      },
      'separator',
      { label: 'Delete', icon: Trash2, onSelect: () => setOpenDialog({ what: 'delete', entries: [entry] }) },
    ]
  }
  const bulkActions = (chosen: readonly FileEntry[]) => [
    {
      label: 'Download',
      icon: Download,
      onSelect: ({ clear }: BulkContext) => {
        chosen.filter(opens).forEach(saveAs)
        clear()
      },
    },
    ...many.map(({ label, icon, what }) => ({
      label,
      icon,
      onSelect: (bulk: BulkContext) => setOpenDialog({ what, entries: chosen, bulk }),
    })),
  ]
  const hiddenOnes = all.filter(isHidden).length
  const toggleHidden = () => {
    setHidden(!hidden)
    showing.save({ hidden: !hidden })
  }
  const buttons = (
    <div className="ml-auto flex flex-wrap items-center gap-2">
      {hiddenOnes > 0 && (
        <IconButton
          label={hidden ? 'Hide hidden files' : `Show ${hiddenOnes} hidden`}
          icon={hidden ? EyeOff : Eye}
          onClick={toggleHidden}
        />
      )}
      <Menu
        label="New"
        trigger={<Button icon={FolderPlus}>New</Button>}
        items={[
          {
            label: 'Folder',
            icon: FolderPlus,
            onSelect: () => setOpenDialog({ what: 'folder', entries: none }),
          },
          { label: 'File', icon: FilePlus, onSelect: () => setOpenDialog({ what: 'file', entries: none }) },
        ]}
      />
      <Button icon={FolderUp} onClick={upload.chooseFolder}>
        Upload folder
      </Button>
      <Button variant="primary" icon={Upload} onClick={upload.choose}>
        Upload
      </Button>
    </div>
  )

  return (
    <>
      <UploadTray onChooseAgain={upload.choose} />
      <Async data={folder} skeleton={<SkeletonRows rows={8} columns={4} />}>
        {({ truncated }) => (
          <>
            {truncated && (
              <div className="mb-3">
                <Callout tone="amber">
                  This folder is too large to list in full. Use a terminal to see the rest.
                </Callout>
              </div>
            )}
            <p role="status" className="sr-only">
              {busy ? 'Starting download' : ''}
            </p>
            {entries.length === 0 ? (
              <div className="rounded-card border border-line-1 bg-surface-2">
                <EmptyState icon={FolderOpen} title="This folder is empty" action={buttons}>
                  Drop files and folders anywhere on this page, or choose Upload.
                </EmptyState>
              </div>
            ) : (
              <DataTable
                label="Files"
                columns={columns}
                rows={entries}
                rowId={idOf}
                rowActions={menu}
                bulkActions={bulkActions}
                toolbar={buttons}
                settings={settings}
              />
            )}
          </>
        )}
      </Async>
      {upload.parts}
      {upload.over && (
        <div className="pointer-events-none fixed inset-0 z-40 flex items-center justify-center bg-surface-1/80 p-6">
          <p className="rounded-card border-2 border-dashed border-accent bg-surface-2 px-8 py-6 text-section font-semibold">
            Drop to upload to {path === '' ? root : visibleName(path)}
          </p>
        </div>
      )}
      {openDialog && (
        <FolderDialogs
          openDialog={openDialog}
          cluster={cluster}
          root={root}
          places={places}
          path={path}
          taken={all.map(idOf)}
          onMadeFile={(name) => goTo({ area: cluster, path, file: name })}
          onClose={() => setOpenDialog(null)}
        />
      )}
    </>
  )
}

/** Makes Backspace open the parent folder, as in other file managers, except while the user types. */
function useUpKey(up: (() => void) | null): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, select, [contenteditable]')
      const isUp = event.key === 'Backspace' || (event.altKey && event.key === 'ArrowUp')
      if (!up || !isUp || isTyping || document.querySelector('dialog:modal')) return
      event.preventDefault()
      up()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
