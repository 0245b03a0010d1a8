import { burstsAsNeeded } from '@flotilla/contract/clusters/cloud'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Database } from '../../../../db/database'
import { explain } from '../../../../explain'
import type { AuditSource } from '../../../../http/caller'
import { sameId } from '../../../../providers/found'
import type { FoundResource } from '../../../../providers/provider'
import { defineTask, handle, type Handler } from '../../../../queue/task'
import { record, subjectOf } from '../../../activities/activities'
import { notifyClustersChanged } from '../../notify'
import * as store from '../../store'
import type { CloudCluster, Deployed } from '../../stored-cluster'
import { everyNode } from '../../wanted-nodes'
import type { CloudDeps } from '../workspace/deps'

export const vanishedTask = defineTask('look-for-vanished-machines', z.object({}))

type Options = Pick<CloudDeps, 'credential' | 'driver' | 'mode'> & {
  db: Database
  system: AuditSource
  log: Logger
  now: () => number
}

/**
 * Running clusters whose machines the cloud has listed long enough for the list to be complete, by account and region.
 */
async function byPlace({ db, mode, now }: Options): Promise<CloudCluster[][]> {
  const places = new Map<string, CloudCluster[]>()
  for (const cluster of await store.runningInClouds(db.kysely)) {
    if (cluster.state_since.getTime() + mode.listsDeletedMs > now()) continue
    const place = `${cluster.credential_id} ${cluster.data.network.region_id}`
    places.set(place, [...(places.get(place) ?? []), cluster])
  }
  return [...places.values()]
}

type Machine = Deployed['machines'][number]

/**
 * Machines that the cloud no longer has. If it lists machines of the cluster but none with a known id, the ids may have
 * another form, and nothing is concluded.
 */
function missingOf({ id, deployed }: CloudCluster, found: FoundResource[]): Machine[] {
  const there = new Set(
    found
      .filter(({ kind, clusterId }) => kind === 'machine' && clusterId === id)
      .map((one) => sameId(one.id)),
  )
  const machines = (deployed?.machines ?? []).filter(({ vanishedAt }) => vanishedAt === undefined)
  const missing = machines.filter((one) => !there.has(sameId(one.id)))
  return there.size > 0 && missing.length === machines.length ? [] : missing
}

/**
 * Shows machines that were removed manually or reclaimed by the cloud within a minute. Bursting counts them as not
 * up, so that it can bring them up again for a job; otherwise Apply changes does.
 */
export function makeVanished(options: Options): { handler: Handler } {
  const { db, system, log, now } = options

  const mark = (clusterId: string, missing: Machine[]) =>
    db.transaction(async (tx) => {
      await store.lock(tx, clusterId)
      const cluster = await store.findInCloud(tx, clusterId)
      // A run that has begun in the meantime finds out for itself.
      if (!cluster?.deployed || cluster.state !== 'available') return
      const gone = new Set(missing.map(({ id }) => id))
      const machines = cluster.deployed.machines.map((one) =>
        gone.has(one.id) ? { ...one, vanishedAt: now() } : one,
      )
      const names = missing.map(({ name }) => name)
      const { mode } = cluster.info.bursting
      await store.update(tx, clusterId, {
        deployed: { ...cluster.deployed, machines },
        // A node started for a job is started again only when a job needs it.
        ...(burstsAsNeeded(mode) && { up_nodes: cluster.up_nodes.filter((name) => !names.includes(name)) }),
      })
      const spot = new Set(everyNode(cluster).flatMap((node) => (node.spot ? [node.name] : [])))
      const text = names
        .map(
          (name) =>
            `${name} ${spot.has(name) ? 'was reclaimed by the cloud' : 'no longer exists in the cloud'}`,
        )
        .join(', ')
      await store.addLine(tx, clusterId, 'change', new Date(now()), text, 'warning')
      await record(tx, null, system, {
        action: 'machines vanished',
        subject: subjectOf('cluster', cluster),
        detail: text,
      })
      await notifyClustersChanged(tx, clusterId)
    })

  const check = async (clusters: CloudCluster[]): Promise<void> => {
    const [first] = clusters
    if (!first?.credential_id) return
    const { data } = await options.credential(first.credential_id)
    const driver = await options.driver(first.provider, data, first.data.network.region_id)
    const found = await driver.find(clusters.length === 1 ? first.id : null)
    for (const cluster of clusters) {
      const missing = missingOf(cluster, found)
      if (missing.length > 0) await mark(cluster.id, missing)
    }
  }

  return {
    handler: handle(vanishedTask, async () => {
      await Promise.all(
        (await byPlace(options)).map((clusters) =>
          check(clusters).catch((error: unknown) => {
            const ids = clusters.map(({ id }) => id)
            log.warn({ clusters: ids, reason: explain(error) }, 'could not list the machines in a cloud')
          }),
        ),
      )
    }),
  }
}
