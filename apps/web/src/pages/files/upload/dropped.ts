/** A file with its path relative to the dropped or chosen entry: `data/run1/in.dat` for a folder `data`. */
export type Found = { file: File; path: string }
/** Dropped entries: all files, including those in folders, and the paths of empty folders. */
export type Dropped = { files: Found[]; emptyFolders: string[] }

/** Reads dropped files. Must be called during the drop event, because the browser discards the data afterward. */
export async function readDropped(transfer: DataTransfer): Promise<Dropped> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const dropped: Dropped = { files: [], emptyFolders: [] }
  for (const { entry, file } of entries)
    if (entry) await walk(entry, '', dropped)
    else if (file) dropped.files.push({ file, path: file.name })
  return dropped
}

async function walk(entry: FileSystemEntry, folder: string, dropped: Dropped): Promise<void> {
  const path = folder + entry.name
  if (isFile(entry)) {
    dropped.files.push({ file: await new Promise<File>((yes, no) => entry.file(yes, no)), path })
    return
  }
  if (!isFolder(entry)) return
  const reader = entry.createReader()
  // The browser returns up to a hundred entries at a time, and none at the end.
  for (let isEmpty = true; ; isEmpty = false) {
    const batch = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no))
    if (batch.length === 0) {
      if (isEmpty) dropped.emptyFolders.push(path)
      return
    }
    for (const inner of batch) await walk(inner, `${path}/`, dropped)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** The files chosen in the browser's dialog. */
export const chosenFiles = (list: FileList | null): Found[] =>
  [...(list ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }))
