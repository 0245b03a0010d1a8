import * as z from 'zod/mini'
import {
  HeadNode,
  Manager,
  NodeCounts,
  QueueCounts,
  VirtualNodes,
  type Cluster,
} from '@flotilla/contract/clusters'
import type { Caller } from '../../http/caller'
import type { FoundCluster } from './store'

/** The column `data` of a cluster: what its owner chose, without secrets. */
export const StoredData = z.object({
  manager: Manager,
  transport: z.enum(['local', 'ssh']),
  head: z.nullable(z.omit(HeadNode, { privateKey: true })),
  virtualNodes: z.nullable(VirtualNodes),
  partition: z.string(),
  slurmConf: z.string(),
})
const Largest = z.object({ cores: z.number(), gpus: z.number() })

export const asCluster = (row: FoundCluster, me: Caller, whyNoSubmit: string | null): Cluster => ({
  id: row.id,
  name: row.name,
  description: row.description,
  provider: row.provider,
  credential_id: row.credential_id,
  owner: row.owner,
  mine: row.owner_id === me.id || me.role.includes('admin'),
  collaborators: row.collaborators.map(({ username }) => username),
  ldapCollaborators: [],
  forEveryone: row.for_everyone,
  info: { state: row.state, since: row.state_since.getTime(), cause: row.cause },
  data: { ...StoredData.parse(row.data), publicKey: row.public_key },
  queue: QueueCounts.parse(row.queue_counts),
  nodes: NodeCounts.parse(row.node_counts),
  largestNode: Largest.parse(row.largest_node),
  freshness: {
    polledAt: row.polled_at?.getTime() ?? null,
    error: row.poll_error,
    errorSince: row.poll_error_since?.getTime() ?? null,
  },
  whyNoSubmit,
  createdAt: row.created_at.getTime(),
})
