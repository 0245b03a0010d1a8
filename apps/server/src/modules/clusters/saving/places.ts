import type { Cluster } from '@flotilla/contract/clusters/entity'
import { changesOf } from '../../../changes'
import type { Caller, RequestContext } from '../../../http/caller'
import { record, subjectOf } from '../../activities/activities'
import { notifyClustersChanged } from '../notify'
import * as store from '../store'
import type { StoredCluster } from '../stored-cluster'

type Options = {
  mine(me: Caller, id: string, context: RequestContext): Promise<StoredCluster>
  view(me: Caller, id: string): Promise<Cluster>
}

/** Folders beside the home that the File Manager offers. They give no one any rights: each account has its own there. */
export const makePlaces =
  ({ mine, view }: Options) =>
  async (me: Caller, id: string, places: string[], context: RequestContext): Promise<Cluster> => {
    const cluster = await mine(me, id, context)
    await context.transaction(async (tx) => {
      await store.update(tx, id, { places })
      await record(tx, me, context, {
        action: 'edited',
        subject: subjectOf('cluster', cluster),
        changes: changesOf({ places: cluster.places }, { places }),
      })
      await notifyClustersChanged(tx, id)
    })
    return view(me, id)
  }
