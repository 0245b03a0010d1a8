import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { NodeDetail } from '@flotilla/contract/clusters/tables'
import { CirclePause, CirclePlay } from 'lucide-react'
import type * as z from 'zod/mini'
import { useApiQuery } from '../../../../api/query'
import { stateTone } from '../../../../submit/submission-state'
import { Async } from '../../../../ui/feedback/async'
import { Button } from '../../../../ui/button/button'
import { Callout } from '../../../../ui/feedback/callout'
import { countText } from '@flotilla/contract/count-text'
import { Dialog } from '../../../../ui/overlay/dialog'
import { KeyValue } from '../../../../ui/text/key-value'
import { SkeletonText } from '../../../../ui/feedback/skeleton'
import { Status } from '../../../../ui/status/status'
import { actionBlockedReason } from '../../actions/cluster-actions'
import { capital } from '../../cluster-text'
import { nodeTone } from '../../node-text'
import { limitText } from '@flotilla/contract/durations'
import { Meter } from './meter'
import { memoryText } from './node-columns'
import { isOutOfService } from './use-node-operations'

interface Props {
  cluster: Cluster
  name: string
  onClose: () => void
  onDrain: () => void
  onResume: () => void
}

export function NodePanel({ cluster, name, onClose, onDrain, onResume }: Props) {
  const detail = useApiQuery(clusters.node, { cluster: cluster.id, node: name })
  const blockedReason = actionBlockedReason(cluster, 'operate')
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={name}
      description={`Node in ${cluster.name}`}
      footer={
        <>
          <Button icon={CirclePause} disabledReason={blockedReason} onClick={onDrain}>
            Drain
          </Button>
          {detail.data && isOutOfService(detail.data.node) && (
            <Button icon={CirclePlay} disabledReason={blockedReason} onClick={onResume}>
              Resume
            </Button>
          )}
        </>
      }
    >
      <Async data={detail} skeleton={<SkeletonText lines={8} />}>
        {(shown) => <Detail {...shown} />}
      </Async>
    </Dialog>
  )
}

function Detail({ node, jobs, native }: z.infer<typeof NodeDetail>) {
  const memory = memoryText(node)
  const { memoryMb, memoryFreeMb } = node
  return (
    <div className="flex flex-col gap-5">
      {node.reason && (
        <Callout tone={node.state === 'down' ? 'red' : 'amber'} title={node.reason}>
          {node.state === 'down'
            ? 'The node is not responding or was taken out of service.'
            : 'The reason given when it was drained.'}
        </Callout>
      )}
      <KeyValue
        items={[
          {
            label: 'State',
            value: (
              <Status tone={nodeTone(node)} detail={node.nativeState}>
                {capital(node.state)}
              </Status>
            ),
          },
          { label: 'Note', value: node.note },
          {
            label: 'Cores',
            value: (
              <Meter
                label="Cores used"
                value={node.coresUsed}
                of={node.cores}
                text={`${node.coresUsed} of ${node.cores} used`}
              />
            ),
          },
          { label: 'GPUs', value: node.gpus === 0 ? 'None' : `${node.gpusUsed} of ${node.gpus} used` },
          {
            label: 'Memory',
            value:
              memory !== null && memoryMb !== null && memoryFreeMb !== null ? (
                <Meter
                  label="Memory used"
                  value={memoryMb - memoryFreeMb}
                  of={memoryMb}
                  text={`${memory} used`}
                />
              ) : (
                memory
              ),
          },
          {
            label: 'Load',
            value:
              node.load === null ? null : (
                <Meter
                  label="Load"
                  value={node.load}
                  of={node.cores}
                  text={`${node.load.toFixed(2)} on ${countText(node.cores, 'core')}`}
                />
              ),
          },
          ...(node.partitions.length > 0 ? [{ label: 'Partitions', value: node.partitions.join(', ') }] : []),
        ]}
      />
      <section>
        <h3 className="mb-1 text-form font-semibold">Jobs ({jobs.length})</h3>
        {jobs.length === 0 ? (
          <p className="text-body text-ink-2">No jobs are running here.</p>
        ) : (
          <ul className="divide-y divide-line-1 rounded-control border border-line-1">
            {jobs.map((job) => (
              <li key={job.id} className="flex items-center gap-3 px-3 py-2">
                <Status tone={stateTone(job.state)}>
                  <span className="font-mono text-label">{job.id}</span>
                </Status>
                <span className="min-w-0 flex-1 truncate" title={job.name}>
                  {job.name}
                </span>
                <span className="text-ink-2">{job.user}</span>
                {job.timeLimitS !== null && (
                  <span className="text-ink-3 tabular-nums">{limitText(job.timeLimitS)}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h3 className="mb-1 text-form font-semibold">Reported by the resource manager</h3>
        <KeyValue
          items={Object.entries(native)
            .filter(([, value]) => value !== '')
            .map(([label, value]) => ({
              label,
              value: <span className="font-mono text-label wrap-anywhere">{value}</span>,
            }))}
        />
      </section>
    </div>
  )
}
