import { isAdmin } from '@flotilla/contract/access'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useUser } from '../../session/user'

/** Whether an admin needs admin scope to change the cluster, because another user owns it. */
export function useAdminScope(cluster: Pick<Cluster, 'owner'>): boolean {
  const user = useUser()
  return cluster.owner !== user.username && isAdmin(user)
}
