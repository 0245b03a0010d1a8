import { clusters } from '@flotilla/contract/clusters'
import type { Cluster } from '@flotilla/contract/clusters'
import { useApiMutation } from '../../../api/query'
import { notices } from '../../../ui/notices-store'
import { useAdminScope } from '../lifecycle-dialog'

export const nodesChange = [clusters.nodes, clusters.node, clusters.view]
export const someNodes = (names: readonly string[]): string =>
  names.length === 1 ? `Node ${names[0]}` : `${names.length} nodes`

/** Takes nodes into service again. */
export function useResume(cluster: Cluster): (nodes: readonly string[]) => void {
  const resume = useApiMutation(clusters.resume, {
    admin: useAdminScope(cluster),
    invalidates: nodesChange,
    onSuccess: (_reply, { body }) => notices.success(`${someNodes(body.nodes)} resumed`),
  })
  return (nodes) => resume.mutate({ id: cluster.id, body: { nodes: [...nodes] } })
}
