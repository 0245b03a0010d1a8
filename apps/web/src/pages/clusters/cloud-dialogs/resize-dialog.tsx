import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { useShapes } from '../../../clouds/use-choices'
import { withShapes } from '../../../clouds/sizes/sizes'
import { costOf, valuesOf } from '../cloud-form/values/cloud-values'
import { usePrice } from '../cloud-form/price/use-price'
import { priceLine } from '../../../ui/text/price-text'
import { unmatchedErrors, problemsIn, resizeOf, sizesOf, withSizes, sizeErrors } from './resize'
import type { Sizes } from './resize'
import { ResizeRow } from './resize-row'
import { useChanges } from './use-changes'
import { useProvider } from '../../../clouds/use-provider'

/** Changes the sizes of the head node and groups, or the number of nodes. */
export function ResizeDialog({ cluster, onClose }: { cluster: CloudCluster; onClose: () => void }) {
  const known = useProvider(cluster.provider)
  const shapes = useShapes(cluster.provider, cluster.credential_id ?? '').found
  const provider = known && withShapes(known, shapes, undefined)
  const [sizes, setSizes] = useState(() => sizesOf(cluster.data))
  const [found, setFound] = useState<ReadonlyMap<string, string>>(new Map())
  const size = resizeOf(cluster.data, sizes)
  const values = valuesOf(cluster)
  const price = usePrice(costOf({ ...values, data: withSizes(values.data, sizes) }))
  const resize = useApiMutation(lifecycle.resize, {
    ...useChanges(cluster),
    success: messages.resizeInitiated,
  })
  const wrong = {
    server: sizeErrors(found, size, 'server'),
    groups: sizes.groups.map((_group, at) => sizeErrors(found, size, at)),
  }
  const general = unmatchedErrors(found, [wrong.server, ...wrong.groups])
  const change = (next: Sizes) => {
    setSizes(next)
    setFound(new Map())
  }
  const send = async () => {
    if (!size) return
    const problems = problemsIn(size)
    if (problems.size > 0) return setFound(problems)
    try {
      await resize.mutateAsync({ body: { id: cluster.id, size } })
      onClose()
    } catch (error) {
      const { fields, message } = toApiError(error)
      // The server names a field by its path in the request, under `size`, or by its path in the cluster.
      const named = Object.entries(fields).map(([path, text]) => [path.replace(/^size\./, ''), text] as const)
      setFound(new Map(named.length > 0 ? named : [['root', message]]))
    }
  }
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      dismissable={!resize.isPending}
      title={`Resize ${cluster.name}`}
      description="Machines are shut down while they are resized, and their jobs end. When a group shrinks, the nodes with the highest numbers are removed first."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            busy={resize.isPending}
            disabledReason={size ? null : 'Change a size or a node count first'}
            onClick={() => void send()}
          >
            Resize cluster
          </Button>
        </>
      }
    >
      {provider ? (
        <div className="flex flex-col gap-4">
          {general.length > 0 && (
            <Callout tone="red" alert>
              {general.join(' ')}
            </Callout>
          )}
          <ResizeRow
            title="Head node"
            provider={provider}
            shapes={shapes}
            region={cluster.data.network.region_id}
            value={sizes.server}
            errors={wrong.server}
            onChange={(server) => change({ ...sizes, server: { ...server, count: 1 } })}
          />
          {sizes.groups.map((group, at) => (
            <ResizeRow
              key={at}
              title={`Group ${at + 1}`}
              counted
              provider={provider}
              shapes={shapes}
              region={cluster.data.network.region_id}
              value={group}
              errors={wrong.groups[at] ?? {}}
              onChange={(changed) =>
                change({
                  ...sizes,
                  groups: sizes.groups.map((one, index) => (index === at ? changed : one)),
                })
              }
            />
          ))}
          {price.data && (
            <p className="text-body text-ink-2">
              With all nodes running, it will cost {priceLine(price.data)}.
            </p>
          )}
        </div>
      ) : (
        <SkeletonText lines={4} />
      )}
    </Dialog>
  )
}
