import type { Disk } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { useApiMutation } from '../../../api/query'
import { issueText } from '../../../forms/issue-text'
import { errorsByPath } from '../../../forms/zod-resolver'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { costOf, valuesOf } from '../cloud-form/values/cloud-values'
import { DiskRows, freeName } from '../cloud-form/rows/disk-rows'
import { usePrice } from '../cloud-form/price/use-price'
import { priceLine } from '../../../ui/text/price-text'
import { useChanges } from './use-changes'
import { useProvider } from '../../../clouds/use-provider'

const diskName = ({ name, id }: Disk): string => (id === '' ? name : `${name} (${id})`)

/** Adds disks to a running cluster's head node. */
export function DisksDialog({ cluster, onClose }: { cluster: CloudCluster; onClose: () => void }) {
  const existing = cluster.data.disks
  const taken = existing.map(({ name }) => name)
  const [disks, setDisks] = useState<readonly Disk[]>([
    { name: freeName(taken), size: 100, type: '', id: '' },
  ])
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const types =
    useProvider(cluster.provider)?.clusterFields.find(({ path }) => path === 'data.server.disk_type')
      ?.choices ?? []
  const values = valuesOf(cluster)
  const price = usePrice(costOf({ ...values, data: { ...values.data, disks: [...existing, ...disks] } }))
  const add = useApiMutation(lifecycle.addDisk, {
    ...useChanges(cluster),
    success: messages.addDisksInitiated,
  })
  const send = async () => {
    const body = { id: cluster.id, disks: [...disks] }
    const parsed = lifecycle.addDisk.body.safeParse(body, { error: issueText })
    if (!parsed.success) return setErrors(errorsByPath(parsed.error.issues))
    try {
      await add.mutateAsync({ body })
      onClose()
    } catch (error) {
      const { fields, message } = toApiError(error)
      const named = Object.entries(fields).filter(([path]) => path.startsWith('disks'))
      setErrors(new Map(named.length > 0 ? named : [['root', message]]))
    }
  }
  const root = errors.get('root')
  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!add.isPending}
      title={`Add disks to ${cluster.name}`}
      description="Attaches new disks, or disks you already have in the cloud, to the head node while it runs."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            busy={add.isPending}
            disabledReason={disks.length > 0 ? null : 'Add a disk first'}
            onClick={() => void send()}
          >
            {disks.length > 1 ? `Add ${disks.length} disks` : 'Add disk'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {root && (
          <Callout tone="red" alert>
            {root}
          </Callout>
        )}
        {existing.length > 0 && (
          <p className="text-body wrap-anywhere text-ink-2">
            Existing disks: {existing.map(diskName).join(', ')}.
          </p>
        )}
        <DiskRows
          hideLegend
          disks={disks}
          onChange={(next) => {
            setDisks(next)
            setErrors(new Map())
          }}
          taken={taken}
          types={types}
          account={{
            credential: cluster.credential_id ?? '',
            region: cluster.data.network.region_id,
            zone: cluster.data.network.availability_domain || cluster.data.network.zone_id,
          }}
          errorAt={(path) => errors.get(path === '' ? 'disks' : `disks.${path}`)}
        />
        {price.data && (
          <p className="text-label text-ink-3">
            With these disks, the cluster costs {priceLine(price.data)}.
          </p>
        )}
      </div>
    </Dialog>
  )
}
