import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { ClusterNode } from '@flotilla/contract/clusters/tables'
import { useApiMutation } from '../../../../api/query'
import { notices } from '../../../../ui/feedback/notices-store'
import { useAdminScope } from '../../use-admin-scope'
import { batches } from '../batches'

export const nodesChange = [clusters.nodes, clusters.node, clusters.view]
export const someNodes = (names: readonly string[]): string =>
  names.length === 1 ? `Node ${names[0]}` : `${names.length} nodes`

/** Whether it takes no jobs and can be resumed. */
export const isOut = ({ state }: Pick<ClusterNode, 'state'>): boolean =>
  state !== 'available' && state !== 'busy'

/** Returns nodes to service. */
export function useResume(cluster: Cluster): (nodes: readonly string[]) => Promise<void> {
  const resume = useApiMutation(clusters.resume, {
    admin: useAdminScope(cluster),
    invalidates: nodesChange,
  })
  return async (nodes) => {
    try {
      for (const part of batches(nodes)) await resume.mutateAsync({ id: cluster.id, body: { nodes: part } })
    } catch {
      // Reported by the ERROR dialog.
      return
    }
    notices.success(`${someNodes(nodes)} resumed`)
  }
}
