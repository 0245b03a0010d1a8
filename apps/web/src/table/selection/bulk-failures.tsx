import { useEffect, useSyncExternalStore } from 'react'
import { Button } from '../../ui/button/button'
import { Dialog } from '../../ui/overlay/dialog'
import { failedRows } from './failed-rows'

/**
 * The reasons for which an action failed, row by row. Rendered once, outside the tables: the table may no longer
 * exist, without rows or because the user has left the page. If it does, the failed rows stay selected for a retry.
 */
export function BulkFailures() {
  const shown = useSyncExternalStore(failedRows.subscribe, failedRows.shown)
  // The next user must not see the failures of the previous one.
  useEffect(() => () => failedRows.show(null), [])
  if (!shown) return null
  const close = () => failedRows.show(null)
  return (
    <Dialog open onClose={close} title={shown.title} footer={<Button onClick={close}>Close</Button>}>
      <ul className="max-h-80 divide-y divide-line-1 overflow-y-auto rounded-control border border-line-1">
        {shown.failures.map(({ id, name, reason }) => (
          <li key={id} className="px-3 py-2 text-body wrap-break-word">
            <p className="font-medium">{name}</p>
            <p className="text-ink-2">{reason}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
