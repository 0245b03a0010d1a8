import { saveFile } from '../api/download'
import { showError } from '../api/errors'
import { ExportMenu, type ExportFormat } from '../table/export-menu'
import { asCsv } from './csv'

interface RowsExportMenuProps {
  /** The file name without its extension. */
  name: string
  /** All rows, including those that are not loaded yet. */
  rows: () => Promise<readonly object[]> | readonly object[]
}

/** Exports everything that the page shows, with the field names of the API. */
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
