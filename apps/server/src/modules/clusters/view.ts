import type { Acceptance } from '@flotilla/contract/clusters/acceptance'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { Caller } from '../../http/caller'
import { fingerprintOfLine } from '../../transports/ssh/host-key'
import type { StoredCluster } from './stored-cluster'
import { everyNode, isEdited } from './wanted-nodes'

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
    mine: row.owner_id === me.id || me.role.includes('admin'),
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
    submitBlockedReason,
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
  if (row.provider === 'local') {
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
    hasPlan: row.plan !== null,
    burstPaused: row.burst_paused,
    keptDisks: row.kept_disks,
    fastRestore: row.fast_restore.map(({ image: _image, ...shown }) => shown),
  }
}
