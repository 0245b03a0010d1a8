// @ts-check
// The dashboard of a site with 500 clusters: how long the server takes for the page's requests.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startProduct } from './support/server.mjs'

const require = createRequire(join(root, 'apps/server/package.json'))
const { default: pg } = await import(require.resolve('pg'))

const ROUNDS = 15
const GOAL_MS = 300
const CLUSTERS = 500

/** In states without a connection, so that only the page is measured. */
const clusters = `
  insert into clusters (id, owner_id, name, description, provider, state, state_since, cause, data, queue_counts,
    node_counts, largest_node, node_totals, info, up_nodes, fast_restore, kept_ids, created_at)
  select 'cluster' || n, u.id, 'Cluster ' || n, '', 'local',
    (array['stopped', 'saved', 'planned', 'destroyed', 'failed'])[1 + n % 5], now(), 'No capacity', '{}',
    '{"blocked": 1, "completed": 50, "queued": 20, "running": 9, "total": 80}',
    '{"available": 3, "busy": 9, "down": 1, "offline": 1, "total": 14, "unknown": 0}', '{}', '{}', '{}', '[]', '[]', '[]', now()
  from generate_series(1, ${CLUSTERS}) n, (select id from users where 'admin' = any(role) limit 1) u`
const feeds = `
  insert into usage_feeds (cluster_id, name, provider, owner_id, seen_at)
  select 'cluster' || n, 'Cluster ' || n, 'local', '', now() from generate_series(1, ${CLUSTERS}) n`
/** Four nodes per cluster that change state every twelve hours, for forty days. */
const machines = `
  insert into usage_machines (cluster_id, kind, name, state, from_at, to_at, per_hour)
  select 'cluster' || n, 'machine', 'n' || k, case when h % 2 = 0 then 'busy' else 'idle' end,
    now() - h * interval '12 hours', now() - (h - 1) * interval '12 hours', 0.5
  from generate_series(1, ${CLUSTERS}) n, generate_series(1, 4) k, generate_series(1, 80) h`
/** One record every ten seconds of the last hour. */
const loads = `
  insert into cluster_loads (cluster_id, time, cpus, load_avg)
  select 'cluster' || n, now() - s * interval '10 seconds', 64, n % 64
  from generate_series(1, ${CLUSTERS}) n, generate_series(0, 359) s`

const product = await startProduct()
const database = new pg.Client({ connectionString: product.databaseUrl() })
try {
  await database.connect()
  const { token } = await product.call(api.auth.login, { body: product.admin })
  for (const text of [clusters, feeds, machines, loads]) await database.query(text)
  for (let left = true; left;) {
    await database.query('select usage_fold(500000)')
    const { rows } = await database.query('select exists (select from usage_machine_deltas) as left')
    left = rows[0].left
  }
  await database.query('vacuum analyze')

  const since = Date.now() - 60 * 60_000
  /** @type {Record<string, () => Promise<unknown>>} */
  const calls = {
    'the dashboard': () => product.call(api.dashboard.view, {}, token),
    'load of the twelve busiest clusters': () =>
      product.call(api.clusters.loads, { query: { since, clusters: 12 } }, token),
    'names of all clusters': () => product.call(api.clusters.names, {}, token),
  }
  for (const [name, call] of Object.entries(calls)) {
    const times = []
    await call()
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now()
      await call()
      times.push(performance.now() - begun)
    }
    print({
      measure: `${name}, ${CLUSTERS} clusters (median of ${ROUNDS})`,
      value: Math.round(median(times)),
      unit: 'ms',
      goal: `<= ${GOAL_MS} ms`,
      ok: median(times) <= GOAL_MS,
    })
  }
} finally {
  await database.end()
  await product.stop()
}
