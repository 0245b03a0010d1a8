import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../../api/call'
import { apiKey } from '../../../../api/query'

/** Changes only with the plan or the resources, so that a log line does not trigger a refetch. */
const version = ({ info, hasPlan, edited }: CloudCluster): string => `${info.since} ${hasPlan} ${edited}`

export const usePlan = (cluster: CloudCluster) =>
  useQuery({
    queryKey: [...apiKey(lifecycle.plan, { id: cluster.id }), version(cluster)],
    queryFn: ({ signal }) => call(lifecycle.plan, { id: cluster.id }, { signal }),
  })

/** The quota check of a cluster without a plan; a plan includes it. */
export const useQuota = (cluster: CloudCluster, admin: boolean, enabled: boolean) =>
  useQuery({
    queryKey: [...apiKey(lifecycle.quota, { id: cluster.id }), version(cluster)],
    queryFn: ({ signal }) => call(lifecycle.quota, { id: cluster.id }, { signal, admin }),
    enabled,
  })

export const useResources = (cluster: CloudCluster) =>
  useQuery({
    queryKey: [...apiKey(lifecycle.resources, { id: cluster.id }), version(cluster)],
    queryFn: ({ signal }) => call(lifecycle.resources, { id: cluster.id }, { signal }),
  })
