import type * as z from 'zod/mini'
import type { Cluster, HostKeys } from '@flotilla/contract/clusters/entity'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { fingerprintOfLine } from '../../../transports/ssh/host-key'
import { showHostKey } from '../../../transports/ssh/login'
import { record, subjectOf } from '../../activities/activities'
import { withUserFacingErrors } from '../commands/query'
import type { Clusters } from '../clusters'
import { type Connections } from '../connection/connections'
import { sameHost } from '../connection/ssh-access'
import type { HeadNodePolicy } from '../connection/head-node-policy'
import type { Poller } from '../watch/poller'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'
import { notifyClustersChanged } from '../notify'
import { connectionSettings } from '../connection/settings'

type Options = {
  clusters: Pick<Clusters, 'mine' | 'view'>
  connections: Pick<Connections, 'reset'>
  headNodePolicy: HeadNodePolicy
  poller: Pick<Poller, 'kick'>
}

const printOf = (line: string | null) => (line === null ? null : fingerprintOfLine(line))

export type HostKeyRules = ReturnType<typeof makeHostKeys>
/** A reinstalled head node presents a new host key; a user who knows about the reinstall accepts it here. */
export function makeHostKeys({ clusters, connections, headNodePolicy, poller }: Options) {
  const headOf = (cluster: StoredCluster) =>
    connectionSettings(cluster).head ??
    fail('wrong_state', { message: 'This cluster is the console’s own machine: no host key is needed' })

  const show = async (me: Caller, cluster: StoredCluster): Promise<string> => {
    const head = headOf(cluster)
    await headNodePolicy.count(me)
    const target = { ...head, mayBePrivate: () => headNodePolicy.mayBePrivate(cluster) }
    return withUserFacingErrors(showHostKey(target, cluster.host_key))
  }

  return {
    async compare(me: Caller, id: string, context: RequestContext): Promise<z.output<typeof HostKeys>> {
      const cluster = await clusters.mine(me, id, context)
      const line = await show(me, cluster)
      return { known: printOf(cluster.host_key), shown: fingerprintOfLine(line) }
    },

    /** Accepts only the exact key that the person reviewed: the head node may present another one a moment later. */
    async accept(me: Caller, id: string, fingerprint: string, context: RequestContext): Promise<Cluster> {
      const cluster = await clusters.mine(me, id, context)
      const head = headOf(cluster)
      const line = await show(me, cluster)
      const shown = fingerprintOfLine(line)
      if (shown !== fingerprint)
        fail('wrong_state', {
          message: `${head.host} now presents the key ${shown}, which is not the one you accepted. Nothing was changed.`,
        })
      await context.transaction(async (tx) => {
        await store.lock(tx, id)
        const now = (await store.findAny(tx, id)) ?? fail('not_found')
        if (!sameHost(now, head))
          fail('wrong_state', { message: 'The head node was changed in the meantime. Nothing was accepted.' })
        await store.update(tx, id, { host_key: line })
        await record(tx, me, context, {
          action: 'host key accepted',
          subject: subjectOf('cluster', cluster),
          detail: `${shown} instead of ${printOf(now.host_key) ?? 'none'}`,
          changes: [{ field: 'hostKey', before: printOf(now.host_key), after: shown }],
        })
        await notifyClustersChanged(tx, id)
      })
      // A refused connection would otherwise wait before its next attempt.
      await connections.reset(id)
      poller.kick(id)
      return clusters.view(me, id)
    },
  }
}
