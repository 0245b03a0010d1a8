import { BurstMode } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useState } from 'react'
import { ApiError, toApiError } from '@flotilla/client/api-error'
import { showError } from '../../../api/errors'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { RadioCards } from '../../../ui/form/radio-cards'
import { sentence } from '../cluster-text'
import { FullPrice } from '../price/full-price'
import { useChanges } from './use-changes'

const texts: Record<BurstMode, { label: string; description: string }> = {
  off: { label: 'Off', description: 'Nodes are added and removed only manually.' },
  min: { label: 'Min', description: 'Only as many nodes as queued jobs need.' },
  max: { label: 'Max', description: 'The whole group as soon as a job is queued.' },
  always: { label: 'Always', description: 'All nodes stay up, with or without jobs.' },
}

/** Changes the burst mode: when nodes are added and removed automatically. */
export function BurstDialog({ cluster, onClose }: { cluster: CloudCluster; onClose: () => void }) {
  const now = cluster.info.bursting.mode
  const [mode, setMode] = useState<BurstMode>(now)
  const change = useApiMutation(lifecycle.burstMode, {
    ...useChanges(cluster),
    success: `Burst mode: ${texts[mode].label.toLowerCase()}`,
  })
  const idle = cluster.data.node.idle_purge_s
  const send = async () => {
    try {
      await change.mutateAsync({ body: { clusterId: cluster.id, mode } })
    } catch (error) {
      const { status, code, message } = toApiError(error)
      showError(new ApiError({ status, code, message: status === 500 ? messages.burstModeFailed : message }))
    }
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!change.isPending}
      title={`Burst mode for ${cluster.name}`}
      description={
        idle > 0
          ? `Nodes started for jobs are removed after ${idle} seconds of idle time.`
          : 'Nodes stay up once started, because no idle time is set.'
      }
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            busy={change.isPending}
            disabledReason={mode === now && cluster.burstPaused === null ? 'This is the current mode' : null}
            onClick={() => void send()}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {cluster.burstPaused !== null && (
          <Callout tone="amber" title="Paused">
            {sentence(cluster.burstPaused)} Save a mode to try again.
          </Callout>
        )}
        <RadioCards
          legend="Burst mode"
          hideLegend
          name="burst-mode"
          value={mode}
          onChange={setMode}
          options={BurstMode.options.map((value) => ({ value, ...texts[value] }))}
        />
        {mode !== 'off' && <FullPrice cluster={cluster} />}
      </div>
    </Dialog>
  )
}
