import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button/button'
import { Menu } from '../ui/overlay/menu'

export type ExportFormat = 'csv' | 'json'

/** Exports everything that matches, and not only what is loaded. */
export function ExportMenu({ onExport }: { onExport: (format: ExportFormat) => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const run = (format: ExportFormat) => {
    setBusy(true)
    void onExport(format).finally(() => setBusy(false))
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
        { label: 'CSV', onSelect: () => run('csv') },
        { label: 'JSON', onSelect: () => run('json') },
      ]}
    />
  )
}
