import { saveFile } from '../api/download'
import { showError } from '../api/errors'
import { ExportMenu, type ExportFormat } from '../table/export-menu'
import { asCsv } from './csv'

interface RowsExportMenuProps {
  /** Of the file, without its ending. */
  name: string
  /** All rows, also those that are not loaded yet. */
  rows: () => Promise<readonly object[]> | readonly object[]
}

/** Everything that the page shows, with the names that the API has. */
export function RowsExportMenu({ name, rows }: RowsExportMenuProps) {
  const save = async (format: ExportFormat) => {
    const all = await rows()
    const file =
      format === 'csv'
        ? new Blob([asCsv(all)], { type: 'text/csv' })
        : new Blob([`${JSON.stringify(all, null, 2)}\n`], { type: 'application/json' })
    saveFile(file, `${name.replace(/[^\w.-]+/g, '-')}.${format}`)
  }
  return <ExportMenu onExport={(format) => save(format).catch(showError)} />
}
