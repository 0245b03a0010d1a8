import type { FileEntry } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { File, FileQuestion, FileSymlink, Folder } from 'lucide-react'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { textColumn, timeColumn } from '../../table/columns'
import { Glyph, type Icon } from '../../ui/status/icon'
import { RowLink } from '../../ui/button/link'
import { sizeText } from '../../ui/text/size-text'
import { searchOf } from './file-search'
import { joined, linkText, opens } from './places'

const icons: Record<FileEntry['type'], Icon> = {
  file: File,
  folder: Folder,
  link: FileSymlink,
  other: FileQuestion,
}

export const entryColumns = (area: string, path: string): readonly Column<FileEntry>[] => [
  {
    id: 'name',
    header: 'Name',
    type: 'text',
    width: 170,
    grow: true,
    priority: 1,
    value: (entry) => visibleName(entry.name),
    cell: (entry) => {
      const kind = opens(entry)
      const place = {
        area,
        path: kind === 'folder' ? joined(path, entry.name) : path,
        file: kind === 'folder' ? undefined : entry.name,
      }
      return (
        <span className="flex min-w-0 items-center gap-2">
          <Glyph
            icon={icons[entry.type]}
            className={entry.type === 'folder' ? 'shrink-0 text-accent' : 'shrink-0 text-ink-3'}
          />
          {kind ? (
            <RowLink to={paths.files()} search={searchOf(place)} className="truncate">
              {visibleName(entry.name)}
            </RowLink>
          ) : (
            <span className="truncate">{visibleName(entry.name)}</span>
          )}
          {entry.type === 'link' && (
            <span className="truncate text-label text-ink-3">{linkText(entry.target)}</span>
          )}
        </span>
      )
    },
  },
  {
    id: 'size',
    header: 'Size',
    type: 'size',
    width: 88,
    priority: 1,
    value: (entry) => (entry.type === 'file' ? entry.size : null),
    cell: (entry) => (entry.type === 'file' ? sizeText(entry.size) : <span className="text-ink-3">–</span>),
  },
  timeColumn({
    id: 'modifiedAt',
    header: 'Modified',
    value: (entry) => entry.modifiedAt,
    width: 120,
    priority: 2,
  }),
  textColumn({
    id: 'permissions',
    header: 'Permissions',
    value: (entry) => entry.permissions,
    width: 120,
    priority: 3,
    mono: true,
  }),
]
