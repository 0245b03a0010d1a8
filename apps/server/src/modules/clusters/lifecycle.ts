import { isInCloud, type Cluster } from '@flotilla/contract/clusters/entity'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { record, subjectOf } from '../activities/activities'
import type { Clusters } from './clusters'
import { clusterRuns } from './runs/runs'
import { requireState } from './runs/starting'
import type { CloudCluster } from './stored-cluster'

type Destroy = { force: boolean; keepDisks: string[] }
/** What differs for clusters in clouds. */
type Cloud = {
  deploy(me: Caller, cluster: CloudCluster, onlyPlan: boolean, context: RequestContext): Promise<Cluster>
  destroy(me: Caller, cluster: CloudCluster, how: Destroy, context: RequestContext): Promise<Cluster>
}

export type Lifecycle = ReturnType<typeof makeLifecycle>
/** The actions that every cluster has. */
export function makeLifecycle({ clusters, cloud }: { clusters: Clusters; cloud: Cloud }) {
  const { mine, begin, view } = clusters
  return {
    async deploy(me: Caller, id: string, onlyPlan: boolean, context: RequestContext): Promise<Cluster> {
      const cluster = await mine(me, id, context)
      if (isInCloud(cluster)) return cloud.deploy(me, cluster, onlyPlan, context)
      if (onlyPlan) fail('wrong_state', { message: 'There is nothing to plan: the machines already exist' })
      return begin(me, cluster, { action: 'deploy' }, context)
    },

    stop: async (me: Caller, id: string, context: RequestContext): Promise<Cluster> =>
      begin(me, await mine(me, id, context), { action: 'stop' }, context),

    start: async (me: Caller, id: string, context: RequestContext): Promise<Cluster> =>
      begin(me, await mine(me, id, context), { action: 'start' }, context),

    async destroy(me: Caller, id: string, how: Destroy, context: RequestContext): Promise<Cluster> {
      const cluster = await mine(me, id, context)
      if (isInCloud(cluster)) return cloud.destroy(me, cluster, how, context)
      const action = how.force ? 'forceDestroy' : 'destroy'
      return begin(me, cluster, { action, input: { keepDisks: [] } }, context)
    },

    async cancel(me: Caller, id: string, context: RequestContext): Promise<Cluster> {
      const cluster = await mine(me, id, context)
      requireState('cancel', cluster.state)
      await context.transaction(async (tx) => {
        if (!(await clusterRuns.requestCancel(tx, id)))
          fail('wrong_state', { message: 'Nothing is in progress that could be canceled' })
        await record(tx, me, context, {
          action: 'canceled',
          subject: subjectOf('cluster', cluster),
          detail: cluster.state,
        })
      })
      return view(me, id)
    },
  }
}
