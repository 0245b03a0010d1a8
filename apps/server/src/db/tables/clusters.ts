import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { Json } from './json-column'
import type { LogRow } from './log'

export type ClusterRow = {
  id: string
  owner_id: string
  name: string
  description: string
  provider: string
  credential_id: string | null
  for_everyone: Generated<boolean>
  state: ClusterState
  state_since: Date
  available_since: Date | null
  cause: string | null
  data: Json
  public_key: string | null
  sealed_private_key: string | null
  sealed_given_key: string | null
  host_key: string | null
  paths_confirmed: Generated<boolean>
  private_address_allowed: Generated<boolean>
  polled_at: Date | null
  hidden_jobs: string | null
  poll_error: string | null
  poll_error_since: Date | null
  queue_counts: Json
  node_counts: Json
  largest_node: Json
  node_totals: Json
  stack_id: string | null
  info: Json
  up_nodes: Json
  deployed: Json | null
  plan: Json | null
  sealed_secrets: string | null
  engine_position: Generated<number>
  engine_died: Generated<boolean>
  burst_paused: string | null
  burst_reset_at: Date | null
  fast_restore: Json
  kept_ids: Json
  sealed_activation_key: string | null
  name_round: Generated<number>
  name_prefix: string | null
  places: Generated<string[]>
  created_at: Date
}

/** A row as it is read: its JSON is not parsed yet. */
export type SelectedCluster = Selectable<ClusterRow>

type ClusterRunRow = {
  id: string
  cluster_id: string
  action: string
  actor_id: string | null
  actor: string | null
  began_at: Date
  ended_at: Date | null
  cause: string | null
  input: Json
  from_state: ClusterState | null
  cancel_asked: Generated<boolean>
}

export type ClusterTables = {
  clusters: ClusterRow
  cluster_collaborators: { cluster_id: string; user_id: string }
  cluster_ldap_collaborators: {
    cluster_id: string
    server_id: string
    dn_key: string
    dn: string
    kind: 'person' | 'group'
    name: string
  }
  cluster_acceptances: { cluster_id: string; user_id: string; connection: string; accepted_at: Date }
  cluster_connections: { cluster_id: string; user_id: string; used_at: Date }
  cluster_nodes: { cluster_id: string; name: string; data: Json }
  cluster_queue: { cluster_id: string; job_id: string; position: number; data: Json }
  cluster_loads: { cluster_id: string; time: Date; cpus: number; load_avg: number }
  cluster_runs: ClusterRunRow
  cluster_logs: LogRow & { cluster_id: string }
  cluster_accounts: {
    cluster_id: string
    name: string
    user_id: string | null
    uid: number
    there: Generated<boolean>
    makings: Generated<number>
    removals: Generated<number>
  }
  cluster_vpn: {
    cluster_id: string
    sealed: string
    last_serial: number
    installed: string | null
    networks: ColumnType<unknown, string | null | undefined, string | null>
  }
  cluster_vpn_clients: {
    cluster_id: string
    serial: number
    user_id: string | null
    sealed: string
    made_at: Date
    expires_at: Date
    revoked_at: Date | null
  }
  local_accounts: { uid: GeneratedAlways<number>; user_id: string | null }
  leftovers: {
    key: string
    provider: ProviderId
    credential_id: string
    region: string
    cluster_id: string | null
    resource: Json
    found_at: Date
  }
  leftover_searches: { credential_id: string; searched_at: Date; failure: string | null }
}
