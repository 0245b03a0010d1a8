/** A file with its path below what was dropped or chosen: `data/run1/in.dat` for a folder `data`. */
export type Found = { file: File; path: string }

/**
 * The dropped files, including those in folders. Must be called during the drop event: afterward, the browser drops the
 * data.
 */
export function droppedFiles(transfer: DataTransfer): Promise<Found[]> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  return Promise.all(
    entries.map(async ({ entry, file }) =>
      entry ? await walk(entry, '') : file ? [{ file, path: file.name }] : [],
    ),
  ).then((lists) => lists.flat())
}

async function walk(entry: FileSystemEntry, folder: string): Promise<Found[]> {
  const path = folder + entry.name
  if (isFile(entry)) return [{ file: await new Promise<File>((yes, no) => entry.file(yes, no)), path }]
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const found: Found[] = []
  // It returns a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no))
    if (some.length === 0) return found
    for (const inner of some) found.push(...(await walk(inner, `${path}/`)))
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** The files chosen in the browser's dialog. */
export const chosenFiles = (list: FileList | null): Found[] =>
  [...(list ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }))
