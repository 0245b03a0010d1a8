import { CLOUD_RANGE } from '@flotilla/contract/limits'
import type { CloudCluster } from '../stored-cluster'

/**
 * The range of the network that is created for a cluster, with all its subnets: head node and nodes are in different
 * ones. Empty if a network is given or the machines are in one already.
 */
export function madeRange({ provider, data }: Pick<CloudCluster, 'provider' | 'data'>): string {
  const { vpc_id, vcn_id, network_id, subnet_id } = data.network
  const isMade = provider !== 'maas' && !(vpc_id || vcn_id || network_id || subnet_id)
  return data.vcn_cidr || (isMade ? CLOUD_RANGE : '')
}
