import { isInCloud } from '@flotilla/contract/clusters/entity'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { explain, redactFor } from '../../../providers/explain'
import { describeTerms, findTerms } from '../../../providers/image-terms'
import { cloudProviders } from '../../../providers/registry'
import { record, subjectOf } from '../../activities/activities'
import type { Clusters } from '../clusters'
import { notifyClustersChanged } from '../notify'
import * as store from '../store'
import type { RecordOptions } from './record'
import { deploymentOf } from './workspace/deployment'
import { partsOf, type CloudDeps } from './workspace/deps'

type Options = CloudDeps &
  Pick<RecordOptions, 'db' | 'requireCredential'> & { clusters: Pick<Clusters, 'mine'> }

/** Accepts the terms of the marketplace images of a cluster, for its whole account: someone has agreed to them. */
export const makeAcceptTerms =
  ({ clusters, db, ...deps }: Options) =>
  async (me: Caller, id: string, context: RequestContext): Promise<{ accepted: string[] }> => {
    const cluster = await clusters.mine(me, id, context)
    if (!isInCloud(cluster) || cluster.credential_id === null)
      return fail('wrong_state', { message: 'The cluster has no credential' })
    await deps.requireCredential(cluster)
    const { provider } = cluster
    const { name, authentications } = cloudProviders[provider]
    const { data } = await deps.credential(cluster.credential_id)
    const { marketplaceImages } = await deps.infrastructure(provider)
    const images = marketplaceImages?.(deploymentOf(await partsOf(deps, cluster))) ?? []
    const driver = await deps.driver(provider, data, cluster.data.network.region_id)
    const found = await findTerms(images, driver)
    if (found.length < images.length)
      return fail('cloud_unavailable', {
        message: `Could not get the image terms from ${name}. Try again later.`,
        extras: { part: name },
      })
    const open = found.flatMap(([, terms]) => (terms && terms.accepted !== true ? terms : []))
    // A collaborator may have chosen another image since: only terms that the user has seen are accepted.
    const shown = cluster.plan?.terms.map((terms) => terms.name) ?? []
    if (!open.every((terms) => shown.includes(describeTerms(terms).name)))
      return fail('wrong_state', { message: 'Plan the cluster first to see the terms of its images' })
    // The requests to the cloud may have taken a while.
    await context.recheck()
    await deps.requireCredential(cluster)
    const accepted: string[] = []
    const acceptAll = async () => {
      for (const terms of open) {
        await driver.acceptTerms?.(terms.plan)
        accepted.push(describeTerms(terms).name)
      }
    }
    const failure = await acceptAll().then(
      () => null,
      (error: unknown) => explain(name, error, redactFor(authentications, data)),
    )
    // What was accepted is recorded, even if the rest failed or the caller has lost access since.
    await db.transaction(async (tx) => {
      await store.lock(tx, id)
      const { plan } = (await store.findInCloud(tx, id)) ?? { plan: null }
      const left = plan?.terms.filter((terms) => failure !== null && !accepted.includes(terms.name)) ?? []
      if (plan) await store.update(tx, id, { plan: { ...plan, terms: left } })
      if (accepted.length > 0)
        await record(tx, me, context, {
          action: 'terms accepted',
          subject: subjectOf('cluster', cluster),
          detail: accepted.join(', '),
        })
      await notifyClustersChanged(tx, id)
    })
    if (failure) return fail('cloud_refused', { message: failure.message, extras: { part: name } })
    return { accepted }
  }
