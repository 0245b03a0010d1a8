import type * as z from 'zod/mini'
import type { Cluster, HostKeys } from '@flotilla/contract/clusters/entity'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { fingerprintOfLine } from '../../../transports/ssh/host-key'
import { showHostKey } from '../../../transports/ssh/login'
import { record } from '../../activities/activities'
import { refusing } from './query'
import type { Clusters } from '../clusters'
import { type Connections } from './connections'
import { sameHost } from './ssh-access'
import type { Dialing } from './dialing'
import type { Poller } from '../watch/poller'
import type { FoundCluster } from '../store'
import * as store from '../store'
import { tellClustersChanged } from '../watch/notify'
import { connectionSettings } from './settings'

type Options = {
  clusters: Pick<Clusters, 'mine' | 'view'>
  connections: Pick<Connections, 'reset'>
  dialing: Dialing
  poller: Pick<Poller, 'kick'>
}

const printOf = (line: string | null) => (line === null ? null : fingerprintOfLine(line))

export type HostKeyRules = ReturnType<typeof makeHostKeys>
/** A head node that was set up anew shows another host key; whoever knows that it was says so here. */
export function makeHostKeys({ clusters, connections, dialing, poller }: Options) {
  const headOf = (cluster: FoundCluster) =>
    connectionSettings(cluster).head ??
    fail('wrong_state', { message: "This cluster is the console's own machine: no host key is needed" })

  const show = async (me: Caller, cluster: FoundCluster): Promise<string> => {
    const head = headOf(cluster)
    await dialing.count(me)
    const target = { ...head, mayBePrivate: () => dialing.mayBePrivate(cluster) }
    return refusing(showHostKey(target, cluster.host_key))
  }

  return {
    async compare(me: Caller, id: string, context: RequestContext): Promise<z.output<typeof HostKeys>> {
      const cluster = await clusters.mine(me, id, context)
      const line = await show(me, cluster)
      return { known: printOf(cluster.host_key), shown: fingerprintOfLine(line) }
    },

    /** Only the very key that the person has looked at: another one may be shown a moment later. */
    async accept(me: Caller, id: string, fingerprint: string, context: RequestContext): Promise<Cluster> {
      const cluster = await clusters.mine(me, id, context)
      const head = headOf(cluster)
      const line = await show(me, cluster)
      const shown = fingerprintOfLine(line)
      if (shown !== fingerprint)
        fail('wrong_state', {
          message: `${head.host} shows ${shown} now, which is not the key that you accepted. Nothing was changed.`,
        })
      await context.transaction(async (tx) => {
        await store.lock(tx, id)
        const now = (await store.findAny(tx, id)) ?? fail('not_found')
        if (!sameHost(now, head))
          fail('wrong_state', { message: 'The head node was changed meanwhile. Nothing was accepted.' })
        await store.update(tx, id, { host_key: line })
        await record(tx, me, context, {
          action: 'host key accepted',
          subject: `cluster ${cluster.name}`,
          detail: `${shown} instead of ${printOf(now.host_key) ?? 'none'}`,
          clusterId: id,
        })
        await tellClustersChanged(tx, id)
      })
      // A connection that was refused would wait before it tries again.
      await connections.reset(id)
      poller.kick(id)
      return clusters.view(me, id)
    },
  }
}
