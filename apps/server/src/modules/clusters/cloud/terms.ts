import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { explain, redactFor } from '../../../providers/explain'
import { cloudProviders } from '../../../providers/registry'
import { record, subjectOf } from '../../activities/activities'
import type { Clusters } from '../clusters'
import { notifyClustersChanged } from '../notify'
import * as store from '../store'
import { deploymentOf } from './workspace/deployment'
import { partsOf, type CloudDeps } from './workspace/deps'
import { describeTerms, findTerms } from './workspace/image-plans'

type Options = CloudDeps & { clusters: Pick<Clusters, 'mine'> }

/** Accepts the terms of the marketplace images of a cluster, for its whole account: someone has agreed to them. */
export const makeAcceptTerms =
  ({ clusters, ...deps }: Options) =>
  async (me: Caller, id: string, context: RequestContext): Promise<{ accepted: string[] }> => {
    const cluster = await clusters.mine(me, id, context)
    if (cluster.provider === 'local' || cluster.credential_id === null)
      return fail('wrong_state', { message: 'The cluster has no credential' })
    const { provider } = cluster
    const { data } = await deps.credential(cluster.credential_id)
    const { marketplaceImages } = await deps.infrastructure(provider)
    const images = marketplaceImages?.(deploymentOf(await partsOf(deps, cluster))) ?? []
    const driver = await deps.driver(provider, data, cluster.data.network.region_id)
    const open = (await findTerms(images, driver)).flatMap(([, terms]) =>
      terms && terms.accepted !== true ? terms : [],
    )
    for (const { plan } of open)
      await driver.acceptTerms?.(plan).catch((error: unknown) => {
        const { name, authentications } = cloudProviders[provider]
        const { message } = explain(name, error, redactFor(authentications, data))
        return fail('cloud_refused', { message, extras: { part: name } })
      })
    const accepted = open.map((terms) => describeTerms(terms).name)
    await context.transaction(async (tx) => {
      const { plan } = (await store.findInCloud(tx, id)) ?? fail('not_found')
      if (plan) await store.update(tx, id, { plan: { ...plan, terms: [] } })
      if (accepted.length > 0)
        await record(tx, me, context, {
          action: 'terms accepted',
          subject: subjectOf('cluster', cluster),
          detail: accepted.join(', '),
        })
      await notifyClustersChanged(tx, id)
    })
    return { accepted }
  }
