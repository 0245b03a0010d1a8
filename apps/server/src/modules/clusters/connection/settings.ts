import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { AttachedCluster, CloudCluster } from '../stored-cluster'
import { builtinExecutor, platformOf, type ConnectionSettings } from './platform'

type Common =
  | 'id'
  | 'state'
  | 'provider'
  | 'data'
  | 'owner_is_admin'
  | 'private_address_allowed'
  | 'paths_confirmed'
  | 'sealed_private_key'
  | 'sealed_given_key'
/** What opening a connection requires; a cluster that is tested before it is saved has nothing else. */
export type ConnectionTarget = Pick<AttachedCluster, Common> | Pick<CloudCluster, Common | 'deployed'>

/** How to connect to a cluster and what runs its jobs: as its owner entered, or as the cloud created it. */
export function connectionSettings(
  cluster:
    | Pick<AttachedCluster, 'provider' | 'data' | 'paths_confirmed'>
    | Pick<CloudCluster, 'provider' | 'data' | 'deployed'>,
): ConnectionSettings {
  if (isInCloud(cluster))
    return cluster.deployed
      ? platformOf(cluster.deployed).connectionSettings(cluster, cluster.deployed)
      : builtinExecutor
  const { data, paths_confirmed } = cluster
  if (paths_confirmed) return data
  // Paths that no admin has confirmed are not used: they determine which programs run as everyone's account.
  return { ...data, slurmConf: '', head: data.head && { ...data.head, binFolder: '' } }
}
