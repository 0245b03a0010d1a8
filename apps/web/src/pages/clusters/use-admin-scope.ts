import { isAdmin } from '@flotilla/contract/access'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useUser } from '../../session/user'

/** Another user's cluster can be changed only in admin scope. */
export function useAdminScope(cluster: Pick<Cluster, 'owner'>): boolean {
  const user = useUser()
  return cluster.owner !== user.username && isAdmin(user)
}
