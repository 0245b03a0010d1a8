import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { ClusterNode } from '@flotilla/contract/clusters/tables'
import { countText } from '@flotilla/contract/count-text'
import { call } from '../../../../api/call'
import { useApiMutation, useInvalidate } from '../../../../api/query'
import type { BulkContext } from '../../../../table/selection/use-bulk-run'
import { notices } from '../../../../ui/feedback/notices-store'
import { useAdminScope } from '../../use-admin-scope'
import { PER_CALL, reasonsOf } from '../bulk-calls'

const changes = [clusters.nodes, clusters.node, clusters.view]
const itself = (name: string) => name

/** Whether the node is out of service: it accepts no jobs and can be resumed. */
export const isOutOfService = ({ state }: Pick<ClusterNode, 'state'>): boolean =>
  state !== 'available' && state !== 'busy'

/** Drains and resumes nodes. For a selection, the progress is shown with the selection. */
export function useNodeOperations(cluster: Cluster) {
  const { id } = cluster
  const admin = useAdminScope(cluster)
  const invalidate = useInvalidate()
  const resumeOne = useApiMutation(clusters.resume, { admin, invalidates: changes })
  const drainOne = useApiMutation(clusters.drain, { admin, invalidates: changes })
  const many = (
    { run }: BulkContext,
    doing: string,
    done: string,
    rows: readonly string[],
    act: (nodes: string[]) => Promise<Parameters<typeof reasonsOf>[0]>,
  ) =>
    run({
      doing,
      done: (count) => `${countText(count, 'node')} ${done}`,
      rows,
      idOf: itself,
      nameOf: itself,
      perCall: PER_CALL,
      act: async (part) => reasonsOf(await act([...part])),
      onEnd: () => invalidate(changes),
    })
  // A failure opens the ERROR dialog.
  const one = (sent: Promise<unknown>, text: string) =>
    sent.then(
      () => notices.success(text),
      () => {},
    )
  return {
    resume: (nodes: readonly string[], bulk?: BulkContext): Promise<void> =>
      bulk
        ? many(bulk, 'Resuming', 'resumed', nodes, (part) =>
            call(clusters.resume, { id, body: { nodes: part } }, { admin }),
          )
        : one(resumeOne.mutateAsync({ id, body: { nodes: [...nodes] } }), `Node ${nodes[0]} resumed`),
    drain: (nodes: readonly string[], reason: string, bulk?: BulkContext): Promise<void> =>
      bulk
        ? many(bulk, 'Draining', 'drained', nodes, (part) =>
            call(clusters.drain, { id, body: { nodes: part, reason } }, { admin }),
          )
        : one(drainOne.mutateAsync({ id, body: { nodes: [...nodes], reason } }), `Node ${nodes[0]} drained`),
  }
}
