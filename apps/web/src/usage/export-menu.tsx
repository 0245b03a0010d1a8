import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { saveFile } from '../api/download'
import { showError } from '../api/errors'
import { Button } from '../ui/button/button'
import { Menu } from '../ui/overlay/menu'
import { asCsv } from './csv'

interface ExportMenuProps {
  /** Of the file, without its ending. */
  name: string
  /** All rows, also those that are not loaded yet. */
  rows: () => Promise<readonly object[]> | readonly object[]
}

/** Everything that the page shows, with the names that the API has. */
export function ExportMenu({ name, rows }: ExportMenuProps) {
  const [busy, setBusy] = useState(false)
  const save = async (ending: 'csv' | 'json', type: string, write: (rows: readonly object[]) => string) => {
    setBusy(true)
    try {
      saveFile(new Blob([write(await rows())], { type }), `${name.replace(/[^\w.-]+/g, '-')}.${ending}`)
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu
      label="Export"
      trigger={
        <Button busy={busy}>
          Export
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
      items={[
        { label: 'CSV', onSelect: () => void save('csv', 'text/csv', asCsv) },
        {
          label: 'JSON',
          onSelect: () => void save('json', 'application/json', (all) => `${JSON.stringify(all, null, 2)}\n`),
        },
      ]}
    />
  )
}
