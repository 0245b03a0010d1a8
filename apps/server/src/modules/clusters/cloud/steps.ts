import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Plan } from '@flotilla/contract/clusters-cloud'
import type { Database } from '../../../db/database'
import { EngineError } from '../../../engines/engine'
import { sameId } from '../../../providers/found'
import type { FoundResource } from '../../../providers/provider'
import { priceOf } from '../../../providers/price'
import { notePlace } from '../../leftovers/leftovers'
import type { RunAction } from '../run-actions'
import type { RunContext, Step } from '../runs'
import * as clusterStore from '../store'
import type { FoundCluster } from '../store'
import { whatExists } from './exists'
import type { FastRestore } from './fast-restore'
import { hasKept, isKept, letGo, noteKept } from './kept'
import type { Ready } from './ready'
import { following } from './following'
import { makeRecovery } from './recovery'
import { openCluster, type OpenedCluster, type Surroundings } from './surroundings'
import { dataOf, deployedOf, machinesOf, madeFrom, nodesAtDeploy, wantedNodes, type Deployed } from './stored'
import { countsOf, inWords } from './words'

/** What a run of destroying was told. */
const DestroyInput = z.object({ keepDisks: z._default(z.array(z.string()), []) })

/** Clouds need a moment until what was deleted is not listed any more. */
const GONE_MS = 60_000
const LOOK_MS = 2000

type Options = Surroundings & { db: Database; ready: Ready; fastRestore: FastRestore; now: () => number }

/** What is done at each action on a cluster in a cloud. Each may be done twice: the engine knows what is there already. */
export function makeCloudSteps(options: Options): Partial<Record<RunAction, Step>> {
  const { db, ready, fastRestore, now } = options

  const { settle, died, removeLost, removeAll } = makeRecovery(db)

  const open = async (cluster: FoundCluster, run: RunContext): Promise<OpenedCluster> => {
    const opened = await openCluster(options, cluster)
    await settle(cluster, opened, run)
    await opened.workspace.init(following(run))
    return opened
  }

  const makePlan = async (
    cluster: FoundCluster,
    { workspace, catalogue }: OpenedCluster,
    run: RunContext,
  ): Promise<Plan> => {
    await workspace.plan({}, following(run))
    const changes = inWords(await workspace.showPlan())
    const up = { head: true, nodes: wantedNodes(cluster) }
    const plan: Plan = {
      madeAt: now(),
      changes,
      counts: countsOf(changes),
      price: priceOf(catalogue, dataOf(cluster), up, options.simulated),
      stale: false,
    }
    await clusterStore.update(db.kysely, cluster.id, {
      plan: JSON.stringify({ ...plan, madeFrom: madeFrom(cluster), nodes: up.nodes.map(({ name }) => name) }),
    })
    const { add, change, replace, destroy } = plan.counts
    run.say(`Planned: ${add} to add, ${change} to change, ${replace} to replace, ${destroy} to destroy`)
    return plan
  }

  /** The plan that was shown is carried out, unless the cluster or the cloud is not as it was then. */
  const carryOut = async (cluster: FoundCluster, opened: OpenedCluster, run: RunContext): Promise<void> => {
    const { workspace } = opened
    const fits = workspace.hasPlan() && planFits(cluster)
    if (fits) run.say('Carrying out the plan as it was shown')
    else await makePlan(cluster, opened, run)
    try {
      await workspace.apply(following(run))
    } catch (error) {
      if (!(error instanceof EngineError && error.code === 'stale')) throw error
      run.say('The cloud is not as it was when this was planned: planning anew')
      await makePlan(cluster, opened, run)
      await workspace.apply(following(run))
    }
  }

  /** What exists is written down, also when something failed half way: what is there must be known. */
  const writeDown = async (
    cluster: FoundCluster,
    opened: OpenedCluster,
    complete: boolean,
  ): Promise<Deployed | null> => {
    const { simulated } = await options.tofu.program()
    const deployed = await whatExists(cluster, opened, { complete, simulated })
    if (deployed)
      await clusterStore.update(db.kysely, cluster.id, { deployed: JSON.stringify(deployed), plan: null })
    return deployed
  }

  const upTo = async (cluster: FoundCluster, run: RunContext): Promise<void> => {
    const opened = await open(cluster, run)
    if (cluster.credential_id)
      await notePlace(db.kysely, cluster.credential_id, dataOf(cluster).network.region_id)
    await ready.before(cluster, run)
    try {
      await carryOut(cluster, opened, run).catch(async (error: unknown) => {
        if (!(error instanceof EngineError && error.code === 'killed')) throw error
        run.say('The engine died. What it lost is looked for, and it begins again')
        await died(cluster)
        await removeLost(cluster, opened, run)
        await carryOut(cluster, opened, run)
      })
    } catch (error) {
      if (error instanceof EngineError && error.code === 'killed') await died(cluster)
      await writeDown(cluster, opened, false).catch(() => {})
      throw error
    }
    const deployed = await writeDown(cluster, opened, true)
    if (!deployed) throw new Error('The engine did not say which machines it made')
    await ready.await(await fresh(cluster.id), deployed, machinesOf(cluster), run)
  }

  const fresh = async (id: string): Promise<FoundCluster> => {
    const cluster = await clusterStore.findAny(db.kysely, id)
    if (!cluster) throw new Error('The cluster is not there any more')
    return cluster
  }

  /** Until nothing with the cluster's tag is left but what is to stay. */
  const left = async (opened: OpenedCluster, cluster: FoundCluster) => {
    const stays = isKept(cluster, opened)
    for (const until = now() + GONE_MS; ;) {
      const found = (await opened.driver.find(cluster.id)).filter((one) => !stays(one))
      if (found.length === 0 || now() > until || options.simulated) return found
      await sleep(LOOK_MS)
    }
  }
  const named = (list: FoundResource[]) =>
    list.map(({ type, name, id }) => `${type} ${name || id}`).join(', ')

  /** What a destroy that failed has taken away is not shown any more, and what it left is. */
  const writeDownLeft = async (cluster: FoundCluster, found: FoundResource[]): Promise<void> => {
    const deployed = deployedOf(cluster)
    if (!deployed) return
    const ids = new Set(found.map(({ id }) => sameId(id)))
    const machines = deployed.machines.filter(({ id }) => ids.has(sameId(id)))
    const disks = Object.entries(deployed.disks).filter(([, { id }]) => ids.has(sameId(id)))
    const isHeadGone = !machines.some(({ role }) => role === 'head')
    // While it is still known what answers there.
    if (isHeadGone) await ready.forget(cluster)
    await clusterStore.update(db.kysely, cluster.id, {
      deployed: JSON.stringify({ ...deployed, machines, disks: Object.fromEntries(disks) }),
      plan: null,
    })
  }
  /** Whatever the reason, what is left is looked at; a cloud that does not answer leaves the record as it was. */
  const afterFailure = async (cluster: FoundCluster, opened: OpenedCluster): Promise<void> => {
    await opened.driver
      .find(cluster.id)
      .then((found) => writeDownLeft(cluster, found))
      .catch(() => {})
  }

  const forget = async (cluster: FoundCluster, opened: OpenedCluster): Promise<void> => {
    await ready.forget(cluster)
    await ready.forgetMachines(cluster)
    await opened.workspace.remove()
    await clusterStore.update(db.kysely, cluster.id, {
      deployed: null,
      plan: null,
      up_nodes: '[]',
      engine_position: 0,
      engine_died: false,
      host_key: null,
      burst_paused: null,
      burst_reset_at: new Date(now()),
      fast_restore: '[]',
      // The next things must not have the names of those that stay.
      ...(hasKept(cluster) && { name_round: cluster.name_round + 1 }),
    })
  }

  const machineIds = (cluster: FoundCluster) => deployedOf(cluster)?.machines.map(({ id }) => id) ?? []

  return {
    async plan(cluster, run) {
      if (!machinesOf(cluster)) {
        await clusterStore.update(db.kysely, cluster.id, { up_nodes: JSON.stringify(nodesAtDeploy(cluster)) })
      }
      const current = await fresh(cluster.id)
      const opened = await open(current, run)
      const plan = await makePlan(current, opened, run)
      if (plan.changes.length === 0) run.say('There is nothing to do: everything is as it should be')
    },
    async deploy(cluster, run) {
      if (!planFits(cluster) && !machinesOf(cluster))
        await clusterStore.update(db.kysely, cluster.id, { up_nodes: JSON.stringify(nodesAtDeploy(cluster)) })
      await upTo(await fresh(cluster.id), run)
    },
    applyChanges: upTo,
    deployNode: upTo,
    destroyNode: upTo,
    addDisk: upTo,
    resize: upTo,
    openvpn: upTo,
    async stop(cluster, run) {
      const { driver } = await openCluster(options, cluster)
      run.say('Stopping the machines: their disks stay and still cost')
      await ready.forget(cluster)
      await driver.stop(machineIds(cluster), run.cancel)
      await ready.still(cluster)
      run.say('All machines are stopped')
    },
    async start(cluster, run) {
      const opened = await openCluster(options, cluster)
      run.say('Starting the machines')
      await opened.driver.start(machineIds(cluster), run.cancel)
      // Most clouds give other public addresses after a stop.
      await opened.workspace.init(following(run))
      await opened.workspace.refresh(following(run))
      const deployed = await writeDown(cluster, opened, false)
      if (deployed) await ready.await(await fresh(cluster.id), deployed, deployedOf(cluster), run)
    },
    async fastRestore(cluster, run) {
      await fastRestore.set(cluster, await openCluster(options, cluster), run)
    },
    async destroy(before, run) {
      const { keepDisks } = DestroyInput.parse(run.input)
      const opened = await open(before, run)
      const { workspace } = opened
      const cluster = await noteKept(db, before, keepDisks)
      await letGo(opened, keepDisks, run)
      await fastRestore.end(cluster, opened, run)
      await workspace.plan({ destroy: true }, following(run))
      await workspace.apply(following(run)).catch(async (error: unknown) => {
        if (!(error instanceof EngineError && error.code === 'left')) await afterFailure(cluster, opened)
        throw error
      })
      const found = await left(opened, cluster)
      if (found.length > 0) await writeDownLeft(cluster, found)
      if (found.length > 0)
        throw new Error(
          `The engine is done, but this is still in the cloud: ${named(found)}. Force destroy removes it`,
        )
      await forget(cluster, opened)
    },
    async forceDestroy(before, run) {
      const { keepDisks } = DestroyInput.parse(run.input)
      const opened = await openCluster(options, before)
      const cluster = await noteKept(db, before, keepDisks)
      try {
        await settle(cluster, opened, run)
        await opened.workspace.forceUnlock()
        await opened.workspace.init(following(run))
        await letGo(opened, keepDisks, run)
        await fastRestore.end(cluster, opened, run)
        await opened.workspace.plan({ destroy: true }, following(run))
        await opened.workspace.apply(following(run))
      } catch (error) {
        if (error instanceof EngineError && (error.code === 'left' || error.code === 'cancelled')) throw error
        run.say(
          `The engine could not remove everything: ${error instanceof Error ? error.message : 'unknown'}`,
        )
      }
      run.say('Looking for everything with the tag of this cluster')
      const failed = await removeAll(opened, cluster, () => true, run)
      const found = await left(opened, cluster)
      if (found.length > 0) await writeDownLeft(cluster, found)
      if (found.length > 0)
        throw new Error(`This is left in the cloud: ${named(found)}. ${failed.join('. ')}`.trim())
      run.say('Nothing with the tag of this cluster is left')
      await forget(cluster, opened)
    },
  }
}

const KeptPlan = z.nullable(z.object({ madeFrom: z.string(), nodes: z.array(z.string()) }))
/** Whether the kept plan is for the cluster as it is now. */
function planFits(cluster: FoundCluster): boolean {
  const plan = KeptPlan.parse(cluster.plan)
  return (
    plan !== null &&
    plan.madeFrom === madeFrom(cluster) &&
    plan.nodes.join() ===
      wantedNodes(cluster)
        .map(({ name }) => name)
        .join()
  )
}
