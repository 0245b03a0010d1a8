import * as z from 'zod/mini'
import { Plan, type CloudClusterInput, type CloudResource } from '@flotilla/contract/clusters/cloud'
import type { Price } from '@flotilla/contract/clouds/providers'
import { engineUnavailable } from '../../../engines/engine'
import type { Caller } from '../../../http/caller'
import { everyNode, priceOf } from '../../../providers/price'
import type { Clusters } from '../clusters'
import type { FoundCluster } from '../store'
import { fastRestoresOf } from './fast-restore'
import { isKept } from './deploy/kept'
import { dataOf, deployedOf, madeFrom, wantedNodes } from './stored'
import { hasState, openCluster, partsOf, type PartsFrom, type Surroundings } from './deploy/deps'
import { existing, withLost } from './texts'

const StoredPlan = z.nullable(z.extend(Plan, { madeFrom: z.string() }))

/** What a cluster costs now; null also where it is not known what there is of it. */
export async function priceNow(
  around: PartsFrom & Pick<Surroundings, 'simulated'>,
  cluster: FoundCluster,
): Promise<Price | null> {
  const deployed = cluster.provider === 'local' ? null : deployedOf(cluster)
  if (!deployed) return null
  const data = dataOf(cluster)
  const { catalogue } = await partsOf(around, cluster)
  const stopped = cluster.state === 'stopped'
  const fastRestores = fastRestoresOf(cluster)
  if (cluster.state !== 'failed')
    return priceOf(
      catalogue,
      data,
      { head: true, nodes: wantedNodes(cluster), stopped, fastRestores },
      around.simulated,
    )
  // What failed may have left only a part of it.
  const names = new Set(deployed.machines.map(({ name }) => name))
  const head = deployed.machines.some(({ role }) => role === 'head')
  const nodes = wantedNodes(cluster).filter(({ name }) => names.has(name))
  const disks = data.disks.filter(({ name }) => name in deployed.disks)
  if (!head && nodes.length + disks.length === 0) return null
  return priceOf(catalogue, { ...data, disks }, { head, nodes, fastRestores }, around.simulated)
}

/** What is shown of a cluster in a cloud. Nothing is changed by it. */
export function makeLooks(options: Surroundings & { clusters: Clusters }) {
  const { clusters } = options
  return {
    async plan(me: Caller, id: string): Promise<z.infer<typeof Plan> | null> {
      const cluster = await clusters.find(me, id)
      const plan = StoredPlan.parse(cluster.plan)
      if (!plan) return null
      const { madeFrom: made, ...shown } = plan
      return { ...shown, stale: made !== madeFrom(cluster) }
    },

    /** With all of its nodes up: what it can cost at most. */
    async price(input: CloudClusterInput): Promise<Price> {
      const catalogue = await options.catalogue(input.provider, input.data.network.region_id)
      return priceOf(catalogue, input.data, { head: true, nodes: everyNode(input.data) }, options.simulated)
    },
    async resources(me: Caller, id: string): Promise<CloudResource[]> {
      const cluster = await clusters.find(me, id)
      if (cluster.provider === 'local' || cluster.credential_id === null) return []
      // A deploy that failed half-way has made things, whether a head node is among them or not.
      if (cluster.deployed === null && !hasState(options.dataDir, id)) return []
      const opened = await openCluster(options, cluster, { onlyLook: true })
      const known = existing(await opened.workspace.resources().catch(engineUnavailable))
      if (cluster.state !== 'failed') return known
      // What the engine lost has the cluster's tag. A cloud that does not answer now leaves what the engine knows.
      const found = await opened.driver.find(cluster.id).catch(() => [])
      const stays = isKept(cluster, opened)
      return withLost(
        known,
        found.filter((one) => !stays(one)),
      )
    },
  }
}
