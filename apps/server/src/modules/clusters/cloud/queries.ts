import { isInCloud } from '@flotilla/contract/clusters/entity'
import type { CloudClusterInput, CloudResource, Plan } from '@flotilla/contract/clusters/cloud'
import type { QuotaRow } from '@flotilla/contract/clusters/quota'
import type { Price } from '@flotilla/contract/clouds/providers'
import { engineUnavailable } from '../../../engines/engine'
import type { Caller, RequestContext } from '../../../http/caller'
import { everyNode, priceOf, priceOfFound, priceOfMachine } from '../../../providers/price'
import type { Clusters } from '../clusters'
import type { CloudCluster } from '../stored-cluster'
import { fastRestoresOf } from './deploy/fast-restore'
import { keptDiskFilter } from './deploy/kept-disks'
import { machinesOf, madeFrom, nodesAtDeploy, wantedNodes } from '../wanted-nodes'
import { hasState, openCluster, partsOf, type CloudDeps, type PartsDeps } from './workspace/deps'
import { existing, withAttached, withUntracked } from './deploy/plan-text'
import type { RecordOptions } from './record'
import { checkQuotas } from './workspace/quota'

/** What a cluster costs now; null if it is unknown which of its resources exist. */
export async function priceNow(
  deps: PartsDeps & Pick<CloudDeps, 'mode'>,
  cluster: CloudCluster,
): Promise<Price | null> {
  const { deployed, data } = cluster
  if (!deployed) return null
  const { catalog } = await partsOf(deps, cluster)
  const stopped = cluster.state === 'stopped'
  const fastRestores = fastRestoresOf(cluster)
  const vanished = new Set(deployed.machines.flatMap(({ name, vanishedAt }) => (vanishedAt ? [name] : [])))
  const wanted = wantedNodes(cluster).filter(({ name }) => !vanished.has(name))
  if (cluster.state !== 'failed')
    return priceOf(catalog, data, { head: true, nodes: wanted, stopped, fastRestores }, deps.mode.priceNote)
  // A failed action may have left only part of it.
  const names = new Set(deployed.machines.map(({ name }) => name))
  const head = deployed.machines.some(({ role }) => role === 'head')
  const nodes = wanted.filter(({ name }) => names.has(name))
  const disks = data.disks.filter(({ name }) => name in deployed.disks)
  if (!head && nodes.length + disks.length === 0) return null
  return priceOf(catalog, { ...data, disks }, { head, nodes, fastRestores }, deps.mode.priceNote)
}

type QuotaDeps = CloudDeps & Pick<RecordOptions, 'requireCredential'>
/** What the account may still create of the cluster, or of `copies` new clusters like it. */
async function quotasOf(deps: QuotaDeps, cluster: CloudCluster, copies?: number): Promise<QuotaRow[]> {
  if (cluster.credential_id === null) return []
  await deps.requireCredential(cluster)
  const { region_id } = cluster.data.network
  const catalog = await deps.catalog(cluster.provider, region_id)
  const { data: credential } = await deps.credential(cluster.credential_id)
  const driver = await deps.driver(cluster.provider, credential, region_id)
  const isNew = copies !== undefined || !machinesOf(cluster)
  return checkQuotas({
    cluster: isNew ? { ...cluster, deployed: null } : cluster,
    catalog,
    driver,
    credential,
    up: isNew ? nodesAtDeploy(cluster) : wantedNodes(cluster).map(({ name }) => name),
    ...(copies !== undefined && { copies }),
  }).rows()
}

/** Read-only queries on clusters in clouds. */
export function makeCloudQueries(options: QuotaDeps & { clusters: Clusters }) {
  const { clusters } = options
  return {
    async plan(me: Caller, id: string): Promise<Plan | null> {
      const cluster = await clusters.find(me, id)
      if (!isInCloud(cluster) || !cluster.plan) return null
      const { madeFrom: made, nodes: _nodes, ...shown } = cluster.plan
      return { ...shown, stale: made !== madeFrom(cluster) }
    },

    async quota(me: Caller, id: string, context: RequestContext): Promise<QuotaRow[]> {
      const cluster = await clusters.mine(me, id, context)
      return isInCloud(cluster) ? quotasOf(options, cluster) : []
    },
    quotasOf: (cluster: CloudCluster, copies?: number) => quotasOf(options, cluster, copies),

    /** The price with all nodes up, which is the most that it can cost. */
    async price(input: CloudClusterInput): Promise<Price> {
      const catalog = await options.catalog(input.provider, input.data.network.region_id)
      return priceOf(
        catalog,
        input.data,
        { head: true, nodes: everyNode(input.data) },
        options.mode.priceNote,
      )
    },
    async resources(me: Caller, id: string): Promise<CloudResource[]> {
      const cluster = await clusters.find(me, id)
      if (!isInCloud(cluster) || cluster.credential_id === null) return []
      // A deploy that failed halfway has created resources, with or without a head node.
      if (cluster.deployed === null && !hasState(options.dataDir, id)) return []
      const opened = await openCluster(options, cluster, { readOnly: true })
      const { region_id } = cluster.data.network
      const made = existing(await opened.workspace.resources().catch(engineUnavailable), (machine) =>
        priceOfMachine(opened.catalog, region_id, machine),
      )
      const known = withAttached(made, cluster)
      if (cluster.state !== 'failed') return known
      // Resources lost by the engine have the cluster's tag. If the cloud is down, only the engine's are shown.
      const found = await opened.driver.find(cluster.id).catch(() => [])
      const stays = keptDiskFilter(cluster, opened)
      const lost = found
        .filter((one) => !stays(one))
        .map((one) => ({ ...one, perHour: one.perHour ?? priceOfFound(opened.catalog, one) }))
      return withUntracked(known, lost)
    },
  }
}
