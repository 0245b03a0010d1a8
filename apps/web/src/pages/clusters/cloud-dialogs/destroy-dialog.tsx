import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { listText } from '@flotilla/contract/count-text'
import { useState } from 'react'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../api/query'
import { Callout } from '../../../ui/feedback/callout'
import { Checkbox } from '../../../ui/form/checkbox'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { useChanges } from './use-changes'

interface Props {
  cluster: CloudCluster
  /** Whether to search the cloud for everything with the cluster's tag, regardless of the engine's state. */
  force: boolean
  onClose: () => void
}

export function DestroyDialog({ cluster, force, onClose }: Props) {
  const destroy = useApiMutation(clusters.destroy, {
    ...useChanges(cluster),
    success: messages.clusterDestroyInitiated,
  })
  const [kept, setKept] = useState<readonly string[]>([])
  // Disks with an ID already existed and were attached. They are always kept.
  const disks = cluster.data.disks.filter(({ id }) => id === '')
  const attached = cluster.data.disks.filter(({ id }) => id !== '')
  const { queue } = cluster
  const jobs = queue.running + queue.queued + queue.blocked
  const lost = disks.filter(({ name }) => !kept.includes(name)).map(({ name }) => name)
  const send = () =>
    destroy.mutateAsync({
      body: { id: cluster.id, keepDisks: [...kept], ...(force && { resetingState: true }) },
    })
  return (
    <ConfirmDialog
      open
      size="m"
      onClose={onClose}
      title={`${force ? 'Force destroy' : 'Destroy'} ${cluster.name}?`}
      confirmLabel={force ? 'Force destroy cluster' : 'Destroy cluster'}
      typeToConfirm={cluster.name}
      // A failure opens the ERROR dialog; this one then closes.
      onConfirm={() => send().then(onClose, onClose)}
    >
      <p>
        {force
          ? 'Use this when Destroy fails. Any action in progress is aborted, and every cloud resource with this cluster’s tag is found and removed. Resources that cannot be removed are listed.'
          : 'Its machines, networks and addresses are removed from the cloud and stop costing money. The cluster stays in the list and can be deployed again.'}
      </p>
      <Callout tone="red" title="Data will be lost">
        Everything on its machines’ disks, including home folders and job output, will be permanently deleted
        {jobs > 0 && `, and ${jobs === 1 ? '1 job' : `${jobs} jobs`} will end now`}
        {lost.length > 0 &&
          `. This includes ${lost.length === 1 ? 'the disk' : 'the disks'} ${listText(lost)}`}
        .
      </Callout>
      {disks.length > 0 && (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 font-medium text-ink-1">Disks to keep in the cloud</legend>
          {disks.map(({ name, size }) => (
            <Checkbox
              key={name}
              label={
                <>
                  <span className="font-mono text-body">{name}</span>{' '}
                  <span className="text-body text-ink-3">{size} GB</span>
                </>
              }
              checked={kept.includes(name)}
              onChange={({ target }) =>
                setKept(target.checked ? [...kept, name] : kept.filter((one) => one !== name))
              }
            />
          ))}
          <p className="text-label text-ink-3">
            Disks you keep still cost money. They can be attached to a cluster again; admins can remove them
            under Settings &gt; Leftovers.
          </p>
        </fieldset>
      )}
      {attached.length > 0 && (
        <p className="wrap-anywhere">
          {attached.length === 1 ? 'An attached disk is kept' : 'Attached disks are kept'}:{' '}
          {attached.map(({ name, id }) => `${name} (${id})`).join(', ')}.
        </p>
      )}
    </ConfirmDialog>
  )
}
