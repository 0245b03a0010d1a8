import * as z from 'zod/mini'
import type { Plan } from '@flotilla/contract/clusters/cloud'
import type { Database } from '../../../../db/database'
import { EngineError } from '../../../../engines/engine'
import { priceOf } from '../../../../providers/price'
import type { Leftovers } from '../../../leftovers/leftovers'
import { following } from '../../../runs/runs'
import type { RunContext, Steps } from '../../runs/runs'
import * as clusterStore from '../../store'
import type { FoundCluster } from '../../store'
import { makeDestroying } from './destroying'
import { whatExists } from '../machines/exists'
import type { FastRestore } from '../fast-restore'
import { keptHalfWay } from './kept'
import type { Ready } from './wait-until-ready'
import { makeRecovery } from './recovery'
import { openCluster, type OpenedCluster, type Surroundings } from './deps'
import {
  dataOf,
  deployedOf,
  machinesOf,
  madeFrom,
  nodesAtDeploy,
  wantedNodes,
  type Deployed,
} from '../stored'
import { countsOf, inWords } from '../texts'

/** What a run of destroying was told. */
const DestroyInput = z.object({ keepDisks: z._default(z.array(z.string()), []) })

type Options = Surroundings & {
  db: Database
  ready: Ready
  fastRestore: FastRestore
  leftovers: Pick<Leftovers, 'notePlace' | 'searchAfter'>
  now: () => number
}

/** What is done at each action on a cluster in a cloud. Each may be done twice: the engine knows what is there already. */
export function makeCloudSteps(options: Options): Steps {
  const { db, ready, fastRestore, leftovers, now } = options

  const recovery = makeRecovery(db)
  const { settle, died, removeLost } = recovery

  const open = async (cluster: FoundCluster, run: RunContext): Promise<OpenedCluster> => {
    const opened = await openCluster(options, cluster)
    await settle(cluster, opened, run)
    await opened.workspace.init(following(run))
    return opened
  }
  const destroying = makeDestroying({ ...options, recovery, open })

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
      await leftovers.notePlace(db.kysely, cluster.credential_id, dataOf(cluster).network.region_id)
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

  const machineIds = (cluster: FoundCluster) => deployedOf(cluster)?.machines.map(({ id }) => id) ?? []

  return {
    async plan(cluster, run) {
      if (!machinesOf(cluster)) {
        await clusterStore.update(db.kysely, cluster.id, { up_nodes: JSON.stringify(nodesAtDeploy(cluster)) })
      }
      const current = await fresh(cluster.id)
      const opened = await open(current, run)
      const plan = await makePlan(current, opened, run)
      const kept = keptHalfWay(current)
      if (kept.length > 0)
        run.say(
          `A destroy that kept ${kept.join(', ')} did not end. Deploy first removes everything that is left except the kept disks, and then creates it again`,
          'warning',
        )
      if (plan.changes.length === 0) run.say('There is nothing to do: everything is as it should be')
    },
    async deploy(before, run) {
      const kept = keptHalfWay(before)
      if (kept.length > 0) {
        // Only part of it is left, and the disk that stays has its name: what comes now begins anew beside it.
        run.say(`A destroy that kept ${kept.join(', ')} did not end: the rest is removed first`)
        await destroying.destroy(before, kept, run)
      }
      const cluster = await fresh(before.id)
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
    destroy: (cluster, run) => destroying.destroy(cluster, DestroyInput.parse(run.input).keepDisks, run),
    forceDestroy: (cluster, run) =>
      destroying.forceDestroy(cluster, DestroyInput.parse(run.input).keepDisks, run),
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
