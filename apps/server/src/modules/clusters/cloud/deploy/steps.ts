import { ONLY_NEW_MACHINES, type Plan } from '@flotilla/contract/clusters/cloud'
import { quotaShortages } from '@flotilla/contract/clusters/quota'
import { termsText } from '@flotilla/contract/clusters/terms'
import type { Database } from '../../../../db/database'
import { EngineError } from '../../../../engines/engine'
import { priceOf } from '../../../../providers/price'
import type { Leftovers } from '../../../leftovers/leftovers'
import { following, type RunContext } from '../../../runs/runs'
import type { Steps } from '../../runs/runs'
import * as clusterStore from '../../store'
import type { CloudCluster, Deployed } from '../../stored-cluster'
import { makeDestroying } from './destroying'
import { existingMachines } from '../machines/existing-machines'
import { retryCapacity } from './capacity'
import type { FastRestore } from './fast-restore'
import { keptByUnfinishedDestroy } from './kept-disks'
import type { Machines } from '../machines/machines'
import { makeRecovery } from './recovery'
import { openCluster, type CloudDeps, type OpenedCluster } from '../workspace/deps'
import { prefixOf } from '../workspace/deployment'
import { checkQuotas } from '../workspace/quota'
import { isEdited, machinesOf, madeFrom, nodesAtDeploy, wantedNodes } from '../../wanted-nodes'
import { countsOf, describeChanges } from './plan-text'

type Options = CloudDeps & {
  db: Database
  machines: Machines
  fastRestore: FastRestore
  leftovers: Pick<Leftovers, 'notePlace' | 'searchAfter'>
  now: () => number
}

/** The steps of each action on a cluster in a cloud. All are idempotent: the engine knows what exists already. */
export function makeCloudSteps(options: Options): Steps<CloudCluster> {
  const { db, machines, fastRestore, leftovers, now } = options

  const recovery = makeRecovery(db)
  const { recover, markDied, removeLost } = recovery

  const open = async (
    cluster: CloudCluster,
    run: RunContext,
    access: { queryCloud?: boolean } = {},
  ): Promise<OpenedCluster> => {
    const opened = await openCluster(options, cluster, access)
    await recover(cluster, opened, run)
    await opened.workspace.init(following(run))
    return opened
  }
  const destroying = makeDestroying({ ...options, recovery, open })

  const makePlan = async (
    cluster: CloudCluster,
    { workspace, catalog, driver, credential, terms }: OpenedCluster,
    run: RunContext,
  ): Promise<Plan> => {
    const up = { head: true, nodes: wantedNodes(cluster) }
    const names = up.nodes.map(({ name }) => name)
    const quotas = checkQuotas({ cluster, catalog, driver, credential, up: names })
    // If it fails, the plan of an earlier edit must not be shown in its place.
    await clusterStore.update(db.kysely, cluster.id, { plan: null })
    await workspace.plan({}, following(run))
    const changes = describeChanges(await workspace.showPlan())
    const plan: Plan = {
      madeAt: now(),
      changes,
      counts: countsOf(changes),
      price: priceOf(catalog, cluster.data, up, options.mode.priceNote),
      quota: await quotas.rows(),
      terms,
      stale: false,
    }
    await clusterStore.update(db.kysely, cluster.id, {
      plan: { ...plan, madeFrom: madeFrom(cluster), nodes: names },
    })
    const { add, change, replace, destroy } = plan.counts
    run.log(`Planned: ${add} to add, ${change} to change, ${replace} to replace, ${destroy} to destroy`)
    for (const { what, text } of quotaShortages(plan.quota)) run.log(`Quota: ${what}: ${text}`, 'warning')
    for (const one of terms) run.log(termsText(one), 'warning')
    return plan
  }

  /** Applies the plan that was shown, unless the cluster or the cloud has changed since. */
  const applyPlan = async (cluster: CloudCluster, opened: OpenedCluster, run: RunContext): Promise<void> => {
    const { workspace } = opened
    const fits = workspace.hasPlan() && planFits(cluster)
    if (fits) run.log('Applying the plan as shown')
    else await makePlan(cluster, opened, run)
    try {
      await workspace.apply(following(run))
    } catch (error) {
      if (!(error instanceof EngineError && error.code === 'stale')) throw error
      run.log('The cloud has changed since this was planned: planning again')
      await makePlan(cluster, opened, run)
      await workspace.apply(following(run))
    }
  }

  /** Records what exists, even if a step failed halfway. */
  const recordDeployed = async (
    cluster: CloudCluster,
    opened: OpenedCluster,
    complete: boolean,
  ): Promise<Deployed | null> => {
    const { simulated } = await options.tofu.program()
    const deployed = await existingMachines(cluster, opened, { complete, simulated })
    if (deployed) await clusterStore.update(db.kysely, cluster.id, { deployed, plan: null })
    return deployed
  }

  const applyDesired = async (before: CloudCluster, run: RunContext): Promise<void> => {
    const cluster = { ...before, name_prefix: before.name_prefix ?? prefixOf(before) }
    await clusterStore.update(db.kysely, cluster.id, { name_prefix: cluster.name_prefix })
    const opened = await open(cluster, run, { queryCloud: true })
    const [unaccepted] = opened.terms.filter(({ accepted }) => accepted === false)
    // Azure would refuse as well, but only after it has created networks and addresses.
    if (unaccepted) throw new Error(termsText(unaccepted))
    if (cluster.credential_id)
      await leftovers.notePlace(db.kysely, cluster.credential_id, cluster.data.network.region_id)
    await machines.beforeChange(cluster, run)
    const { catalog } = opened
    const situation = { cluster, catalog, waitMs: options.mode.capacityWaitMs, run }
    try {
      await retryCapacity(situation, () => applyPlan(cluster, opened, run)).catch(async (error: unknown) => {
        if (!(error instanceof EngineError && error.code === 'killed')) throw error
        run.log('The engine was killed. Searching for resources it did not record, then restarting it')
        await markDied(cluster)
        await removeLost(cluster, opened, run)
        await applyPlan(cluster, opened, run)
      })
    } catch (error) {
      if (error instanceof EngineError && error.code === 'killed') await markDied(cluster)
      await recordDeployed(cluster, opened, false).catch(() => {})
      // The plan no longer describes what is in the cloud.
      await clusterStore.update(db.kysely, cluster.id, { plan: null })
      throw error
    }
    const deployed = await recordDeployed(cluster, opened, true)
    if (!deployed) throw new Error('The engine did not report which machines it created')
    await machines.waitUntilReady(await reload(cluster.id), deployed, machinesOf(cluster), run)
  }

  const reload = async (id: string): Promise<CloudCluster> => {
    const cluster = await clusterStore.findInCloud(db.kysely, id)
    if (!cluster) throw new Error('The cluster no longer exists')
    return cluster
  }

  const machineIds = (cluster: CloudCluster) => cluster.deployed?.machines.map(({ id }) => id) ?? []

  return {
    async plan(cluster, run) {
      if (!machinesOf(cluster)) {
        await clusterStore.update(db.kysely, cluster.id, { up_nodes: nodesAtDeploy(cluster) })
      }
      const current = await reload(cluster.id)
      const opened = await open(current, run, { queryCloud: true })
      const plan = await makePlan(current, opened, run)
      const kept = keptByUnfinishedDestroy(current)
      if (kept.length > 0)
        run.log(
          `A destroy that kept ${kept.join(', ')} did not finish. Deploy first removes everything that is left except the kept disks, and then recreates it`,
          'warning',
        )
      if (plan.changes.length === 0)
        run.log(isEdited(current) ? ONLY_NEW_MACHINES : 'Nothing to do: everything is up to date')
    },
    async deploy(before, run) {
      const kept = keptByUnfinishedDestroy(before)
      if (kept.length > 0) {
        // Only part of it is left, and the kept disk has its name: the new deployment is created next to it.
        run.log(`A destroy that kept ${kept.join(', ')} did not finish: removing the rest first`)
        await destroying.destroy(before, kept, run)
      }
      const cluster = await reload(before.id)
      if (!planFits(cluster) && !machinesOf(cluster))
        await clusterStore.update(db.kysely, cluster.id, { up_nodes: nodesAtDeploy(cluster) })
      await applyDesired(await reload(cluster.id), run)
    },
    applyChanges: applyDesired,
    deployNode: applyDesired,
    destroyNode: applyDesired,
    addDisk: applyDesired,
    resize: applyDesired,
    openvpn: applyDesired,
    async stop(cluster, run) {
      const { driver } = await openCluster(options, cluster)
      run.log('Stopping the machines: their disks stay and keep costing money')
      await machines.release(cluster)
      await driver.stop(machineIds(cluster), run.cancel)
      await machines.markStopped(cluster)
      run.log('All machines are stopped')
    },
    async start(cluster, run) {
      const opened = await openCluster(options, cluster)
      run.log('Starting the machines')
      await opened.driver.start(machineIds(cluster), run.cancel)
      // Most clouds assign new public addresses after a stop.
      await opened.workspace.init(following(run))
      await opened.workspace.refresh(following(run))
      const deployed = await recordDeployed(cluster, opened, false)
      if (deployed) await machines.waitUntilReady(await reload(cluster.id), deployed, cluster.deployed, run)
    },
    async fastRestore(cluster, run, { enabled }) {
      await fastRestore.set(cluster, await openCluster(options, cluster), enabled, run)
    },
    destroy: (cluster, run, { keepDisks }) => destroying.destroy(cluster, keepDisks, run),
    forceDestroy: (cluster, run, { keepDisks }) => destroying.forceDestroy(cluster, keepDisks, run),
  }
}

/** Whether the stored plan is for the cluster as it is now. */
const planFits = (cluster: CloudCluster): boolean =>
  cluster.plan?.madeFrom === madeFrom(cluster) &&
  cluster.plan.nodes.join() ===
    wantedNodes(cluster)
      .map(({ name }) => name)
      .join()
