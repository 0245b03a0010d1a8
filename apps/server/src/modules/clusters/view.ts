import * as z from 'zod/mini'
import type { Acceptance } from '@flotilla/contract/clusters/acceptance'
import { NodeCounts, QueueCounts, type Cluster } from '@flotilla/contract/clusters/entity'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Caller } from '../../http/caller'
import { isProviderId } from '../../providers/registry'
import { fingerprintOfLine } from '../../transports/ssh/host-key'
import { dataOf, deployedOf, everyNode, infoOf, madeFrom } from './cloud/stored'
import type { FoundCluster } from './store'
import { StoredData } from './connection/settings'

const Largest = z.object({ cores: z.number(), gpus: z.number() })
const FastRestore = z.array(z.object({ zone: z.string(), state: z.string() }))

/** What is known of a cluster beside its row. */
type Beside = {
  whyNoSubmit: string | null
  acceptance: Acceptance | null
  accountBlockedReason: string | null
  price: Price | null
  failedAction: string | undefined
  run: { action: string; began_at: Date; actor: string | null } | undefined
}

export function asCluster(row: FoundCluster, me: Caller, beside: Beside): Cluster {
  const { whyNoSubmit, acceptance, accountBlockedReason, price, run, failedAction } = beside
  const common = {
    id: row.id,
    name: row.name,
    description: row.description,
    credential_id: row.credential_id,
    owner: row.owner,
    mine: row.owner_id === me.id || me.role.includes('admin'),
    collaborators: row.collaborators.map(({ username }) => username),
    ldapCollaborators: [],
    forEveryone: row.for_everyone,
    run: run ? { action: run.action, beganAt: run.began_at.getTime(), actor: run.actor } : null,
    queue: QueueCounts.parse(row.queue_counts),
    nodes: NodeCounts.parse(row.node_counts),
    largestNode: Largest.parse(row.largest_node),
    freshness: {
      polledAt: row.polled_at?.getTime() ?? null,
      error: row.poll_error,
      errorSince: row.poll_error_since?.getTime() ?? null,
    },
    whyNoSubmit,
    accountBlockedReason,
    price,
    createdAt: row.created_at.getTime(),
  }
  const state = {
    state: row.state,
    since: row.state_since.getTime(),
    cause: row.cause,
    ...(failedAction !== undefined && { failedAction }),
  }
  if (!isProviderId(row.provider)) {
    const hostKey = row.host_key && fingerprintOfLine(row.host_key)
    const stored = StoredData.parse(row.data)
    const pathsConfirmed = row.paths_confirmed || !(stored.slurmConf || stored.head?.binFolder)
    const data = { ...stored, pathsConfirmed, publicKey: row.public_key, hostKey }
    return { ...common, provider: 'local', info: state, acceptance, data }
  }
  const deployed = deployedOf(row)
  return {
    ...common,
    provider: row.provider,
    stack_id: row.stack_id,
    info: { ...infoOf(row), ...state },
    data: { ...dataOf(row), rhel_activation_key: '' },
    nodeNames: everyNode(row).map(({ name }) => name),
    machines: deployed?.machines ?? [],
    simulated: deployed?.simulated ?? false,
    edited: deployed !== null && deployed.madeFrom !== madeFrom(row),
    hasPlan: row.plan !== null,
    burstPaused: row.burst_paused,
    keptDisks: row.kept_disks,
    fastRestore: FastRestore.parse(row.fast_restore),
  }
}
