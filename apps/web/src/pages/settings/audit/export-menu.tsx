import { activities, type ActivityFilter } from '@flotilla/contract/people/activities'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../../api/download'
import { showError } from '../../../api/errors'
import { Button } from '../../../ui/button/button'
import { Menu } from '../../../ui/overlay/menu'

/** Everything that matches, and not only what is shown. */
export function ExportMenu({ filter }: { filter: ActivityFilter }) {
  const [busy, setBusy] = useState(false)
  const save = async (endpoint: typeof activities.exportCsv | typeof activities.exportJson, name: string) => {
    setBusy(true)
    try {
      await download(endpoint, { query: filter }, name)
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
        <Button icon={Download} busy={busy}>
          Export
        </Button>
      }
      items={[
        { label: 'As CSV', onSelect: () => void save(activities.exportCsv, 'audit.csv') },
        { label: 'As JSON', onSelect: () => void save(activities.exportJson, 'audit.json') },
      ]}
    />
  )
}
