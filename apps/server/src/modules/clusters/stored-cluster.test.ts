import { describe, expect, it } from 'vitest'
import { parseCluster, requireCloud, type FoundRow } from './stored-cluster'

const size = { cores: 0, gpus: 0 }
const local = {
  manager: 'none',
  transport: 'local',
  head: null,
  virtualNodes: null,
  partition: '',
  slurmConf: '',
}
const row = (more: Partial<FoundRow>): FoundRow => ({
  id: '7',
  owner_id: '1',
  owner: 'ada',
  owner_is_admin: false,
  name: 'One',
  description: '',
  provider: 'local',
  credential_id: null,
  for_everyone: false,
  state: 'saved',
  state_since: new Date(0),
  available_since: null,
  cause: null,
  data: local,
  public_key: null,
  sealed_private_key: null,
  sealed_given_key: null,
  host_key: null,
  paths_confirmed: false,
  private_address_allowed: false,
  polled_at: null,
  hidden_jobs: null,
  poll_error: null,
  poll_error_since: null,
  queue_counts: { blocked: 0, completed: 0, queued: 0, running: 0, total: 0 },
  node_counts: { available: 0, busy: 0, down: 0, offline: 0, total: 0, unknown: 0 },
  largest_node: size,
  node_totals: size,
  stack_id: null,
  info: {},
  up_nodes: [],
  deployed: null,
  plan: null,
  sealed_secrets: null,
  engine_position: 0,
  engine_died: false,
  burst_paused: null,
  burst_reset_at: null,
  fast_restore: [],
  kept_ids: [],
  kept_disks: 0,
  sealed_activation_key: null,
  places: [],
  name_round: 0,
  name_prefix: null,
  created_at: new Date(0),
  collaborators: [],
  ldap_collaborators: [],
  ...more,
})
const inCloud = (more: Partial<FoundRow>) => parseCluster(row({ provider: 'aws', data: {}, ...more }))

describe('the row of a cluster', () => {
  it('is an attached cluster, which is rejected where one in a cloud is required', () => {
    const cluster = parseCluster(row({}))
    expect(cluster).toMatchObject({ provider: 'local', data: local })
    expect(() => requireCloud(cluster)).toThrow('is not in a cloud')
  })

  it('is a cluster in a cloud, with defaults for what an older version did not store', () => {
    const cluster = requireCloud(inCloud({}))
    expect(cluster.data.manager).toBe('torque')
    expect(cluster.info.bursting.mode).toBe('min')
    // Queries compare the stored value.
    expect(cluster.stored_data).toEqual({})
  })

  it('reads kept disks that were stored with only their ids', () => {
    const { kept_ids } = requireCloud(
      inCloud({ kept_ids: ['vol-1', { id: 'vol-2', name: 'data', round: 1 }] }),
    )
    expect(kept_ids).toEqual([
      { id: 'vol-1', name: '', round: -1 },
      { id: 'vol-2', name: 'data', round: 1 },
    ])
  })

  it('has no plan if an older version stored it in another format', () => {
    expect(requireCloud(inCloud({ plan: { madeAt: 1 } })).plan).toBeNull()
  })

  it('has no counts if what its resource manager reported cannot be read', () => {
    const unreadable = { node_totals: { cores: null, gpus: 0 }, node_counts: { total: null } }
    expect(parseCluster(row(unreadable))).toMatchObject({
      node_totals: { cores: 0, gpus: 0 },
      node_counts: { total: 0, available: 0 },
    })
  })

  it('of an unknown provider is an error', () => {
    expect(() => parseCluster(row({ provider: 'elsewhere' }))).toThrow(/provider/)
  })
})
