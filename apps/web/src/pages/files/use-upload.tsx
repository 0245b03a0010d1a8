import { files, type FileEntry } from '@flotilla/contract/jobs/files'
import { useRef, useState, type ReactNode } from 'react'
import { joined } from './places'
import { ReplaceDialog } from './dialogs/replace-dialog'
import { showError } from '../../api/errors'
import { useInvalidate } from '../../api/query'
import { chosenFiles, type Found } from './upload/dropped'
import { useDrop } from './upload/use-drop'
import { addUploads, markFolderCreated, makeEmptyFolders } from './upload/uploads'

/** Uploads chosen or dropped files to the current folder. Existing files are replaced only after confirmation. */
export function useUpload(cluster: string, folder: string, entries: readonly FileEntry[]) {
  const picker = useRef<HTMLInputElement>(null)
  const folderPicker = useRef<HTMLInputElement>(null)
  const [conflicting, setConflicting] = useState<Found[] | null>(null)
  const taken = new Set(entries.map(({ name }) => name))
  const isTaken = ({ path }: Found) => taken.has(path)

  const begin = (found: readonly Found[], replace: boolean) => {
    setConflicting(null)
    markFolderCreated(cluster, folder)
    addUploads(
      cluster,
      found.map(({ file, path }) => ({
        file,
        path: joined(folder, path),
        replace: replace && taken.has(path),
      })),
    )
  }
  const take = (found: Found[]) => {
    if (found.length === 0) return
    if (found.some(isTaken)) setConflicting(found)
    else begin(found, false)
  }
  const invalidate = useInvalidate()
  const over = useDrop(({ files: found, emptyFolders }) => {
    take(found)
    if (emptyFolders.length === 0) return
    makeEmptyFolders(
      cluster,
      emptyFolders.map((path) => joined(folder, path)),
    )
      .catch(showError)
      .finally(() => invalidate([files.list]))
  })
  const names = conflicting?.filter(isTaken).map(({ path }) => path) ?? []
  const parts: ReactNode = (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          take(chosenFiles(event.currentTarget.files))
          event.currentTarget.value = ''
        }}
      />
      <input
        ref={(input) => {
          folderPicker.current = input
          // React does not support this attribute, which is not standardized but works in every browser.
          input?.setAttribute('webkitdirectory', '')
        }}
        type="file"
        multiple
        hidden
        aria-label="Folder to upload"
        onChange={(event) => {
          take(chosenFiles(event.currentTarget.files))
          event.currentTarget.value = ''
        }}
      />
      {conflicting && (
        <ReplaceDialog
          names={names}
          others={conflicting.length - names.length}
          onReplace={() => begin(conflicting, true)}
          onSkip={() =>
            begin(
              conflicting.filter((one) => !isTaken(one)),
              false,
            )
          }
          onClose={() => setConflicting(null)}
        />
      )}
    </>
  )
  return {
    choose: () => picker.current?.click(),
    chooseFolder: () => folderPicker.current?.click(),
    over,
    parts,
  }
}
