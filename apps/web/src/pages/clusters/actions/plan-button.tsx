import type { Cluster } from '@flotilla/contract/clusters/entity'
import { ClipboardList } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button/button'
import { ActionDialog } from './action-dialog'
import { actionBlockedReason } from './cluster-actions'

/** Asks for confirmation, then plans; the result is shown on the Plan tab. */
export function PlanButton({ cluster, children }: { cluster: Cluster; children: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        icon={ClipboardList}
        disabledReason={actionBlockedReason(cluster, 'plan')}
        onClick={() => setOpen(true)}
      >
        {children}
      </Button>
      {isOpen && <ActionDialog cluster={cluster} action="plan" onClose={() => setOpen(false)} />}
    </>
  )
}
