import * as z from 'zod/mini'
import type { Database } from '../../../../db/database'
import { defineTask, handle, type Handler } from '../../../../queue/task'
import type { RunContext } from '../../../runs/runs'
import * as store from '../../store'
import type { CloudCluster } from '../../stored-cluster'
import { notifyClustersChanged } from '../../notify'
import type { CloudDeps, OpenedCluster } from '../workspace/deps'

const CHANGING = ['enabling', 'optimizing', 'disabling']

/** The number of zones where it is on or about to be: each one is billed. */
export const fastRestoresOf = ({ fast_restore }: CloudCluster): number =>
  fast_restore.filter(({ state }) => !['disabling', 'disabled'].includes(state)).length

export const fastRestoreTask = defineTask('look-at-fast-restore', z.object({}))

type Options = Pick<CloudDeps, 'credential' | 'driver'> & { db: Database }

export type FastRestore = ReturnType<typeof makeFastRestore>
/** Fast restore of the snapshots that a cluster's machines start from: it is billed for as long as it is on. */
export function makeFastRestore({ db, credential, driver: driverOf }: Options) {
  const write = (cluster: CloudCluster, image: string, states: { zone: string; state: string }[]) =>
    db.transaction(async (tx) => {
      const rows = states.filter(({ state }) => state !== 'disabled').map((one) => ({ ...one, image }))
      await store.update(tx, cluster.id, { fast_restore: rows })
      await notifyClustersChanged(tx, cluster.id)
    })

  const check = async (cluster: CloudCluster): Promise<void> => {
    const stored = cluster.fast_restore
    const [first] = stored
    if (!first || !cluster.credential_id || !stored.some(({ state }) => CHANGING.includes(state))) return
    const { data } = await credential(cluster.credential_id)
    const cloud = await driverOf(cluster.provider, data, cluster.data.network.region_id)
    const states = await cloud.fastRestore?.state(first.image)
    const known = stored.map(({ zone, state }) => ({ zone, state }))
    if (states && JSON.stringify(states) !== JSON.stringify(known)) await write(cluster, first.image, states)
  }

  return {
    async set(
      cluster: CloudCluster,
      { driver, workspace }: OpenedCluster,
      enabled: boolean,
      run: RunContext,
    ): Promise<void> {
      const { fastRestore } = driver
      if (!fastRestore) throw new Error('This cloud does not support fast snapshot restore')
      const head = (await workspace.resources()).find(
        ({ name, type }) => name === 'head' && type.endsWith('_instance'),
      )
      const { ami: image, availability_zone: zone } = head?.values ?? {}
      if (typeof image !== 'string') throw new Error('The image of the head node is unknown')
      const known = cluster.fast_restore.map((one) => one.zone)
      const { zone_id, zone_name } = cluster.data.network
      const here = zone_id || zone_name || (typeof zone === 'string' ? zone : '')
      const zones = !enabled && known.length > 0 ? known : [here].filter(Boolean)
      if (zones.length === 0) throw new Error('Choose an availability zone for the cluster first')
      run.log(`${enabled ? 'Turning on' : 'Turning off'} fast restore of ${image} in ${zones.join(', ')}`)
      await fastRestore.set(image, zones, enabled)
      const states = await fastRestore.state(image)
      await write(cluster, image, states)
      for (const one of states) run.log(`${one.zone}: ${one.state}`)
    },

    /**
     * Turns it off before the cluster is destroyed: afterward no one would know of it, and it would keep costing money.
     */
    async end(cluster: CloudCluster, { driver }: OpenedCluster, run: RunContext): Promise<void> {
      const on = cluster.fast_restore
      for (const image of new Set(on.map((one) => one.image))) {
        const zones = on.filter((one) => one.image === image).map(({ zone }) => zone)
        run.log(`Turning off fast restore of ${image} in ${zones.join(', ')}`)
        await driver.fastRestore?.set(image, zones, false)
      }
    },

    /** AWS takes up to an hour per TB: the page shows the progress. */
    handler: handle(fastRestoreTask, async () => {
      const clusters = await store.withFastRestore(db.kysely)
      // An account that does not respond must not hold up the others.
      const checks = await Promise.allSettled(clusters.map(check))
      const failed = checks.find((one) => one.status === 'rejected')
      if (failed) throw failed.reason
    }) satisfies Handler,
  }
}
