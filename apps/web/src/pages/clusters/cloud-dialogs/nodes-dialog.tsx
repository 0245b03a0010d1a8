import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { useState } from 'react'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { Checkbox } from '../../../ui/form/checkbox'
import { Dialog } from '../../../ui/overlay/dialog'
import { Input } from '../../../ui/form/input'
import { FullPrice } from '../price/full-price'
import { useChanges } from './use-changes'

interface Props {
  cluster: CloudCluster
  /** Whether nodes are deployed (true) or destroyed (false). */
  up: boolean
  chosen?: readonly string[] | undefined
  onClose: () => void
}

/** The list has a filter from this number of nodes. */
const MANY = 12

/** Chooses the nodes to deploy or destroy. */
export function NodesDialog({ cluster, up, chosen: before = [], onClose }: Props) {
  const exist = new Set(cluster.machines.map(({ name }) => name))
  const offered = cluster.nodeNames.filter((name) => exist.has(name) !== up)
  const [chosen, setChosen] = useState<readonly string[]>(before.filter((name) => offered.includes(name)))
  const [filter, setFilter] = useState('')
  const shown = offered.filter((name) => name.includes(filter.trim()))
  const change = useApiMutation(up ? lifecycle.deployNode : lifecycle.destroyNode, {
    ...useChanges(cluster),
    success: up ? messages.nodeDeployInitiated : messages.nodeDestroyInitiated,
  })
  const all = shown.length > 0 && shown.every((name) => chosen.includes(name))
  const verb = up ? 'Deploy' : 'Destroy'
  const count = chosen.length === 1 ? '1 node' : `${chosen.length} nodes`
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!change.isPending}
      title={`${verb} nodes in ${cluster.name}`}
      description={
        up
          ? 'Nodes are created in the cloud, cost money from then on, and run jobs as soon as they are ready.'
          : 'Nodes are removed from the cloud and stop costing money. Their jobs end and their disks are deleted.'
      }
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant={up ? 'primary' : 'danger'}
            busy={change.isPending}
            disabledReason={chosen.length > 0 ? null : 'Choose at least one node'}
            // A failure opens the ERROR dialog; this one then closes.
            onClick={() =>
              void change
                .mutateAsync({ body: { cluster: cluster.id, nodes: [...chosen] } })
                .then(onClose, onClose)
            }
          >
            {verb} {chosen.length > 0 ? count : 'nodes'}
          </Button>
        </>
      }
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Nodes</legend>
        {offered.length > MANY && (
          <Input
            aria-label="Filter nodes"
            placeholder="Filter nodes"
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
        )}
        <Checkbox
          label={`All ${shown.length}`}
          checked={all}
          indeterminate={!all && shown.some((name) => chosen.includes(name))}
          onChange={() =>
            setChosen(
              all
                ? chosen.filter((name) => !shown.includes(name))
                : [...chosen, ...shown.filter((name) => !chosen.includes(name))],
            )
          }
        />
        <div className="grid max-h-64 grid-cols-2 gap-x-4 gap-y-2 overflow-y-auto border-t border-line-1 pt-2">
          {shown.map((name) => (
            <Checkbox
              key={name}
              label={<span className="font-mono text-body">{name}</span>}
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
          ))}
        </div>
        {up && <FullPrice cluster={cluster} />}
      </fieldset>
    </Dialog>
  )
}
