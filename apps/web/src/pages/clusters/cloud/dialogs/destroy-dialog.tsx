import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { useState } from 'react'
import { messages } from '@flotilla/contract/messages'
import { useApiMutation } from '../../../../api/query'
import { Callout } from '../../../../ui/callout'
import { Checkbox } from '../../../../ui/checkbox'
import { ConfirmDialog } from '../../../../ui/confirm-dialog'
import { useChanges } from '../use-changes'

interface Props {
  cluster: CloudCluster
  /** Sweeps the cloud for everything with the cluster's tag, whatever the engine knows. */
  force: boolean
  onClose: () => void
}

export function DestroyDialog({ cluster, force, onClose }: Props) {
  const destroy = useApiMutation(clusters.destroy, {
    ...useChanges(cluster),
    success: messages.clusterDestroyInitiated,
  })
  const [kept, setKept] = useState<readonly string[]>([])
  const { disks } = cluster.data
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
      title={`${force ? 'Force destroy' : 'Destroy'} ${cluster.name}`}
      confirmLabel={force ? 'Force destroy cluster' : 'Destroy cluster'}
      typeToConfirm={cluster.name}
      // A refusal is told by the ERROR dialog; this one has then nothing more to ask.
      onConfirm={() => send().then(onClose, onClose)}
    >
      <p>
        {force
          ? 'What is under way is given up, and everything with the tag of this cluster is searched for in the cloud and removed. What cannot be removed is named. For when destroying does not work.'
          : 'Its machines, networks and addresses are removed from the cloud and cost nothing any more. The cluster stays in the list and can be deployed again.'}
      </p>
      <Callout tone="red" title="Data is lost">
        Everything on the disks of its machines, homes and job output among it, is gone for good
        {jobs > 0 && `, and ${jobs === 1 ? '1 job ends' : `${jobs} jobs end`} now`}
        {lost.length > 0 &&
          `. So is what is on ${lost.length === 1 ? 'the disk' : 'the disks'} ${lost.join(', ')}`}
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
            A disk that is kept still costs. No cluster looks after it any more: admins find it under
            Settings, Leftovers, and can remove it there.
          </p>
        </fieldset>
      )}
    </ConfirmDialog>
  )
}
