import type { Acceptance } from '@flotilla/contract/clusters/acceptance'
import { CloudData } from '@flotilla/contract/clusters/cloud'
import { isInCloud, type Cluster } from '@flotilla/contract/clusters/entity'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Caller } from '../../../http/caller'
import { fingerprintOfLine } from '../../../transports/ssh/host-key'
import { isMine } from '../../sharing/sharing'
import type { StoredCluster } from '../stored-cluster'
import { countDrift, driftOf, everyNode, isEdited } from '../wanted-nodes'

/** What a cluster's view shows besides its row. */
type Details = {
  submitBlockedReason: string | null
  acceptance: Acceptance | null
  accountBlockedReason: string | null
  price: Price | null
  failedAction: string | undefined
  run: { action: string; began_at: Date; actor: string | null } | undefined
}

export function asCluster(row: StoredCluster, me: Caller, details: Details): Cluster {
  const { submitBlockedReason, acceptance, accountBlockedReason, price, run, failedAction } = details
  const common = {
    id: row.id,
    name: row.name,
    description: row.description,
    credential_id: row.credential_id,
    owner: row.owner,
    mine: isMine(me, row),
    collaborators: row.collaborators.map(({ username }) => username),
    ldapCollaborators: row.ldap_collaborators,
    forEveryone: row.for_everyone,
    run: run ? { action: run.action, beganAt: run.began_at.getTime(), actor: run.actor } : null,
    queue: row.queue_counts,
    nodes: row.node_counts,
    largestNode: row.largest_node,
    freshness: {
      polledAt: row.polled_at?.getTime() ?? null,
      error: row.poll_error,
      errorSince: row.poll_error_since?.getTime() ?? null,
    },
    hiddenJobs: row.hidden_jobs,
    submitBlockedReason,
    accountBlockedReason,
    price,
    places: row.places,
    createdAt: row.created_at.getTime(),
  }
  const state = {
    state: row.state,
    since: row.state_since.getTime(),
    ...(row.state === 'available' &&
      row.available_since !== null && { availableSince: row.available_since.getTime() }),
    cause: row.cause,
    ...(failedAction !== undefined && { failedAction }),
  }
  if (!isInCloud(row)) {
    const hostKey = row.host_key && fingerprintOfLine(row.host_key)
    const pathsConfirmed = row.paths_confirmed || !(row.data.slurmConf || row.data.head?.binFolder)
    const data = { ...row.data, pathsConfirmed, publicKey: row.public_key, hostKey }
    return { ...common, provider: 'local', info: state, acceptance, data }
  }
  const { deployed } = row
  return {
    ...common,
    provider: row.provider,
    stack_id: row.stack_id,
    info: { ...row.info, ...state },
    data: { ...row.data, rhel_activation_key: '' },
    nodeNames: everyNode(row).map(({ name }) => name),
    machines: deployed?.machines ?? [],
    simulated: deployed?.simulated ?? false,
    edited: isEdited(row),
    drift: countDrift(driftOf(row)),
    hasPlan: row.plan !== null,
    burstPaused: row.burst_paused,
    keptDisks: row.kept_disks,
    fastRestore: row.fast_restore.map(({ image: _image, ...shown }) => shown),
  }
}

/** The cluster for users who see only their own jobs. */
export function withOwnJobs(cluster: Cluster, jobs: { state: string; jobs: number }[]): Cluster {
  const count = (state: string) => jobs.find((one) => one.state === state)?.jobs ?? 0
  return {
    ...cluster,
    queue: {
      blocked: count('blocked'),
      completed: count('completed'),
      queued: count('queued'),
      running: count('running'),
      total: jobs.reduce((sum, one) => sum + one.jobs, 0),
    },
  }
}

/**
 * The cluster for participants, who only need to work on it: without the people who run or share it, addresses, keys,
 * and causes of failures, which name them.
 */
export function withoutOthers(cluster: Cluster): Cluster {
  const shown = {
    credential_id: null,
    collaborators: [],
    ldapCollaborators: [],
    places: [],
    hiddenJobs: null,
    run: cluster.run && { ...cluster.run, actor: null },
    freshness: {
      ...cluster.freshness,
      error: cluster.freshness.error === null ? null : 'The cluster does not respond',
    },
  }
  if (!isInCloud(cluster)) {
    const { manager, transport, virtualNodes, partition, pathsConfirmed } = cluster.data
    return {
      ...cluster,
      ...shown,
      info: { ...cluster.info, cause: null },
      data: {
        manager,
        transport,
        virtualNodes,
        partition,
        pathsConfirmed,
        head: null,
        slurmConf: '',
        publicKey: null,
        hostKey: null,
      },
    }
  }
  const { manager, network } = cluster.data
  return {
    ...cluster,
    ...shown,
    info: { ...cluster.info, cause: null },
    data: CloudData.parse({ manager, network: { region_id: network.region_id } }),
    machines: cluster.machines.map((one) => ({ ...one, privateIp: null, publicIp: null })),
    burstPaused: null,
    drift: 0,
  }
}
