import * as z from 'zod/mini'
import { Plan, type CloudClusterInput, type CloudResource } from '@flotilla/contract/clusters-cloud'
import type { Price } from '@flotilla/contract/providers'
import type { Caller } from '../../../http/caller'
import { everyNode, priceOf } from '../../../providers/price'
import type { Clusters } from '../clusters'
import type { FoundCluster } from '../store'
import { dataOf, madeFrom, wantedNodes } from './stored'
import { openCluster, partsOf, type Surroundings } from './surroundings'
import { existing } from './words'

const StoredPlan = z.nullable(z.extend(Plan, { madeFrom: z.string() }))

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
    /** What a cluster costs now. */
    async priceNow(cluster: FoundCluster): Promise<Price | null> {
      if (cluster.provider === 'local' || cluster.deployed === null) return null
      const data = dataOf(cluster)
      const parts = await partsOf(options, cluster)
      const on = cluster.state !== 'stopped'
      const up = { head: on, nodes: on ? wantedNodes(cluster) : [] }
      return priceOf(parts.catalogue, data, up, options.simulated)
    },

    async resources(me: Caller, id: string): Promise<CloudResource[]> {
      const cluster = await clusters.find(me, id)
      if (cluster.provider === 'local' || cluster.deployed === null) return []
      const { workspace } = await openCluster(options, cluster, { onlyLook: true })
      return existing(await workspace.resources())
    },
  }
}
