import * as z from 'zod/mini'
import { CloudData, CloudInfo, Machine, Plan } from '@flotilla/contract/clusters/cloud'
import { isInCloud, NodeCounts, QueueCounts } from '@flotilla/contract/clusters/entity'
import { HeadNode, Manager, VirtualNodes } from '@flotilla/contract/clusters/inputs'
import type { LdapCollaborator } from '@flotilla/contract/ldap-entry'
import { ProviderId } from '@flotilla/contract/site/config'
import type { SelectedCluster } from '../../db/tables/clusters'
import { fail } from '../../fail'

/** What the owner of an attached cluster entered, without secrets. */
export const AttachedData = z.object({
  manager: Manager,
  transport: z.enum(['local', 'ssh']),
  head: z.nullable(z.omit(HeadNode, { privateKey: true })),
  virtualNodes: z.nullable(VirtualNodes),
  partition: z.string(),
  slurmConf: z.string(),
})
export type AttachedData = z.infer<typeof AttachedData>

/** What exists in the cloud. */
export const Deployed = z.object({
  /** Created by the simulated cloud, regardless of which cloud this server uses now. */
  simulated: z.boolean(),
  machines: z.array(
    z.extend(Machine, {
      id: z.string(),
      /** GB, where the cloud reported what the machine has; its cores are the reported ones then. */
      reportedMemory: z.optional(z.number()),
      /** Left out by versions that placed a cluster as a whole. */
      network: z.optional(
        z.object({ place: z.string(), efaInterfaces: z.number(), accelerated: z.boolean() }),
      ),
    }),
  ),
  disks: z.record(
    z.string(),
    z.object({
      id: z.string(),
      size: z.number(),
      /** Device paths where the head node may find it. */
      hints: z._default(z.array(z.string()), []),
    }),
  ),
  /** Ranges of the subnets that the machines are in; empty for clusters made before they were recorded. */
  networks: z._default(z.array(z.string()), []),
  /** The cluster's packages that its machines have been given. */
  packages: z._default(z.array(z.string()), []),
  /** A digest of what it was made from: a different one means that the cluster has been edited since. */
  madeFrom: z.string(),
})
export type Deployed = z.infer<typeof Deployed>

/** The plan that is shown, with the settings it was made for. */
const StoredPlan = z.extend(Plan, { madeFrom: z.string(), nodes: z.array(z.string()) })

/** A kept disk, and which deployment of the cluster it is from; for the oldest ones only the id is known. */
const KeptDisk = z.union([
  z.object({ id: z.string(), name: z.string(), round: z.number() }),
  z.pipe(
    z.string(),
    z.transform((id) => ({ id, name: '', round: -1 })),
  ),
])

// Renamed, because the linter mistakes `z.catch` for the method of a promise.
const orElse = z.catch
const Size = orElse(z.object({ cores: z.number(), gpus: z.number() }), { cores: 0, gpus: 0 })
/** What a resource manager reported. If it cannot be read, the cluster is still listed, and the next poll repairs it. */
const Counts = z.object({
  queue_counts: orElse(QueueCounts, { blocked: 0, completed: 0, queued: 0, running: 0, total: 0 }),
  node_counts: orElse(NodeCounts, { available: 0, busy: 0, down: 0, offline: 0, total: 0, unknown: 0 }),
  largest_node: Size,
  node_totals: Size,
})

const CloudColumns = z.object({
  provider: ProviderId,
  data: CloudData,
  info: CloudInfo,
  up_nodes: z.array(z.string()),
  deployed: z.nullable(Deployed),
  fast_restore: z.array(z.object({ zone: z.string(), state: z.string(), image: z.string() })),
  kept_ids: z.array(KeptDisk),
})
type CloudColumns = z.infer<typeof CloudColumns> & { plan: z.infer<typeof StoredPlan> | null }
type OnlyInClouds =
  | 'stack_id'
  | 'sealed_secrets'
  | 'engine_position'
  | 'engine_died'
  | 'burst_paused'
  | 'burst_reset_at'
  | 'kept_disks'
  | 'sealed_activation_key'
  | 'name_round'
  | 'name_prefix'

/** A cluster as returned by the database. */
export type FoundRow = SelectedCluster & {
  owner: string
  owner_is_admin: boolean
  kept_disks: number
  collaborators: { id: string; username: string }[]
  ldap_collaborators: LdapCollaborator[]
}
type Common = Omit<FoundRow, keyof typeof Counts.shape | keyof CloudColumns | OnlyInClouds> &
  z.infer<typeof Counts> & {
    /** The `data` column exactly as it is stored, for queries that compare it. */
    stored_data: unknown
  }

/** A cluster of existing machines. */
export type AttachedCluster = Common & { provider: 'local'; data: AttachedData }
/** A cluster whose machines the console creates in a cloud. */
export type CloudCluster = Common & Pick<FoundRow, OnlyInClouds> & CloudColumns
export type StoredCluster = AttachedCluster | CloudCluster

/** The only place where the JSON of a cluster is parsed. */
export function parseCluster(row: FoundRow): StoredCluster {
  const { data: stored_data, provider } = row
  const counts = Counts.parse(row)
  if (provider === 'local')
    return { ...row, ...counts, stored_data, provider, data: AttachedData.parse(stored_data) }
  // A plan that an older version stored in another format is discarded.
  const plan = row.plan === null ? null : (StoredPlan.safeParse(row.plan).data ?? null)
  return { ...row, ...counts, stored_data, ...CloudColumns.parse(row), plan }
}

/** Excludes the simulated cloud's machines, which belong to the person who deployed them. */
export const isThisMachine = (cluster: StoredCluster): boolean =>
  !isInCloud(cluster) && cluster.data.transport === 'local'

export const requireCloud = (cluster: StoredCluster): CloudCluster =>
  isInCloud(cluster)
    ? cluster
    : fail('wrong_state', {
        message: 'This cluster consists of existing machines and is not in a cloud',
      })

/** The columns that are written as JSON. */
export type JsonColumns = Partial<Omit<CloudColumns, 'provider' | 'data'>> & {
  data?: AttachedData | CloudData
}
