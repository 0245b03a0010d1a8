export type UsageTables = {
  usage_machines: {
    cluster_id: string
    kind: 'machine' | 'disk' | 'other'
    name: string
    state: 'busy' | 'idle' | 'stopped'
    from_at: Date
    to_at: Date | null
    per_hour: number | null
  }
  usage_rates: {
    cluster_id: string
    size: string
    from_at: Date
    per_core_hour: number | null
    per_gpu_hour: number | null
  }
  usage_feeds: {
    cluster_id: string
    name: string
    provider: string
    owner_id: string
    seen_at: Date
    harvested_to: Date | null
    harvest_error: string | null
  }
  usage_gaps: { cluster_id: string; from_at: Date; to_at: Date; reason: string }
}
