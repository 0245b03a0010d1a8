import { api } from '@flotilla/contract/api'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { setFaults } from '@flotilla/simulated-cloud/world/faults'
import type { Database } from '../../../db/database'
import { simulatedFolder } from '../../../modules/clouds/clouds'
import * as usage from '../../../modules/usage/store'
import { seedHistory } from '../history/cluster-history'
import { clusters, credentials, type DemoCluster } from './clusters'
import { waitFor, type Session, type Sessions } from '../session'
import * as store from '../store'
import type { Subject } from '../history/subject'
import { daysAgo } from '../time'

type Deps = { db: Database; dataDir: string; session: Sessions; now: number }

const stateOf = async (session: Session, id: string) => (await session(api.clusters.view, { id })).info.state
const waitForState = (session: Session, id: string, state: string) =>
  waitFor(`a cluster becomes ${state}`, async () =>
    (await stateOf(session, id)) === state ? state : undefined,
  )

/** The cluster with its machines and prices, as soon as the poller has read them. */
async function subjectOf(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  session: Session,
  cluster: Cluster,
  about: Subject['about'],
  size: string,
): Promise<Subject> {
  const { id, name } = cluster
  const subject = await waitFor(`${name} is watched`, async () => {
    const { rows } = await session(api.clusters.nodes, { id })
    const items = await usage.machinesNow(db.kysely, id)
    const rates = await usage.lastRates(db.kysely, id)
    const nodes = rows.map(({ name: node, cores, gpus }) => ({ name: node, cores, gpus }))
    return nodes.length > 0 && items.length > 0 && rates.length > 0
      ? { id, name, nodes, items, rates, size, about }
      : undefined
  })
  // The resource manager's own records would fill the gap in the generated history, so they count as read.
  await db.transaction((tx) => usage.noteHarvest(tx, id, new Date(now), new Date(now)))
  return subject
}

/** The size in the form in which the usage ledger distinguishes sizes. */
function nodeSize({ data }: DemoCluster): string {
  const [group] = data.node?.group ?? []
  return `${group?.instance_id ?? ''} ${group?.ocpus ?? 0} ${group?.mem ?? 0}`
}

async function ensureCluster(
  deps: Deps,
  about: DemoCluster,
  seed: number,
  credentialIds: Map<string, string>,
): Promise<{ session: Session; id: string }> {
  const { db, session, now } = deps
  const owner = await session(about.owner)
  const known = (await owner(api.clusters.list, {})).find(({ name }) => name === about.name)
  const credential = credentials.find(({ provider }) => provider === about.provider)?.name ?? ''
  const cluster =
    known ??
    (await owner(api.clusters.create, {
      body: {
        name: about.name,
        description: about.description,
        provider: about.provider,
        credential_id: credentialIds.get(credential) ?? '',
        collaborators: about.collaborators,
        forEveryone: about.owner !== 'maria',
        info: { bursting: about.bursting, 'os-type': 'ubuntu-22.04' },
        data: about.data,
      },
    }))
  const { id } = cluster
  if (cluster.info.state === 'saved') await owner(api.clusters.deploy, { body: { id } })
  if (await store.hasHistory(db.kysely, id, daysAgo(now, 1))) return { session: owner, id }
  await waitForState(owner, id, 'available')
  const elastic = about.bursting.mode === 'min'
  await seedHistory(
    db,
    await subjectOf(deps, owner, cluster, { ...about, elastic, seed }, nodeSize(about)),
    now,
  )
  const since = daysAgo(now, about.since)
  await store.setClusterTimes(db.kysely, id, { created_at: since, state_since: since })
  return { session: owner, id }
}

/** Stops the cluster, or destroys it and makes its next deployment fail. */
async function end(
  { db, dataDir, now }: Deps,
  { end: wanted, data }: DemoCluster,
  { session, id }: { session: Session; id: string },
): Promise<void> {
  const state = await stateOf(session, id)
  if (!wanted || (state !== 'available' && state !== 'destroyed')) return
  if (wanted.state === 'stopped') await session(api.clusters.stop, { body: { id } })
  else {
    // Its disks are kept, so that they are found as leftovers.
    const keepDisks = (data.disks ?? []).map(({ name }) => name)
    if (state === 'available') await session(api.clusters.destroy, { body: { id, keepDisks } })
    await waitForState(session, id, 'destroyed')
    await setFaults(simulatedFolder(dataDir), { [id]: { fault: 'quota' } })
    await session(api.clusters.deploy, { body: { id } })
  }
  await waitForState(session, id, wanted.state)
  if (wanted.state === 'failed') await setFaults(simulatedFolder(dataDir), {})
  const since = daysAgo(now, wanted.daysAgo)
  await store.setClusterTimes(db.kysely, id, { state_since: since })
  await store.removeLoads(db.kysely, id, since)
}

/** Creates the five clusters and the history of these and of this machine. */
export async function seedClusters(
  deps: Deps,
  credentialIds: Map<string, string>,
): Promise<Map<string, string>> {
  const { db, session, now } = deps
  const ids = new Map<string, string>()
  await Promise.all(
    clusters.map(async (about, index) => {
      const made = await ensureCluster(deps, about, index + 1, credentialIds)
      ids.set(about.name, made.id)
      await end(deps, about, made)
    }),
  )
  const grace = await session('grace')
  const machine = (await grace(api.clusters.list, {})).find(({ provider }) => provider === 'local')
  if (machine) {
    ids.set(machine.name, machine.id)
    const about = { elastic: false, seed: 6, earlierPrice: { factor: 0.8, untilDaysAgo: 20 } }
    if (!(await store.hasHistory(db.kysely, machine.id, daysAgo(now, 1))))
      await seedHistory(db, await subjectOf(deps, grace, machine, about, ''), now)
    const since = daysAgo(now, 210)
    await store.setClusterTimes(db.kysely, machine.id, { created_at: since, state_since: since })
  }
  return ids
}
