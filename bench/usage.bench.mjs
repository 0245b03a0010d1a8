// @ts-check
// Accounting over a year with a million job records, and with a tenth of them: how long the server takes for each call.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startProduct } from './support/server.mjs'

const require = createRequire(join(root, 'apps/server/package.json'))
const { default: pg } = await import(require.resolve('pg'))

const ROUNDS = 9
const GOAL_MS = 300
const MOST_TIMES = 2
const MANY = Number(process.env.RECORDS ?? 1_000_000)
const FEW = MANY / 10
const USERS = 1000
const CLUSTERS = 500
const CLUSTERS_EACH = 5
const NODES = 4
const FOLD = 2_000_000
const DAY_MS = 24 * 60 * 60_000
const END = Math.floor(Date.now() / DAY_MS) * DAY_MS
/** The range begins and ends neither at midnight nor on a full second, so that both ends are partial. */
const range = (/** @type {number} */ days) => ({
  startMs: String(END - days * DAY_MS + 12_345_678),
  endMs: String(END - 7_654_321),
})

/** Each user works on a few clusters only, so that ten times the jobs do not add accounts to a cluster. */
const clusterOf = (/** @type {string} */ p, /** @type {string} */ n) =>
  `'cluster' || (${p}::int * ${CLUSTERS_EACH} + ${n} % ${CLUSTERS_EACH}) % ${CLUSTERS}`
/** Jobs of all users over a year, from seconds to hours; the last of them are still running. */
const seed = `
  insert into usage_jobs (cluster_id, native_id, started_at, ended_at, account, user_id, name, state, nodes, cores, gpus)
  select ${clusterOf('p', 'n')}, n::text, at, at + random() * random() * interval '8 hours',
    'person' || p, '', 'job ' || n, 'succeeded', 1 + n % 4, 1 + n % 64, n % 3
  from (select n, floor(random() * ${USERS}) as p, $3::timestamptz - random() * interval '365 days' as at
    from generate_series($1::int, $2::int) n) s`
const running = `
  insert into usage_jobs (cluster_id, native_id, started_at, account, user_id, name, state, nodes, cores, gpus)
  select ${clusterOf(`(n % ${USERS})`, 'n')}, 'running ' || n, $1::timestamptz - random() * interval '2 days',
    'person' || n % ${USERS}, '', 'job ' || n, 'running', 1, 8, 0 from generate_series(1, 2000) n`
const clusters = `
  insert into usage_feeds (cluster_id, name, provider, owner_id, seen_at)
  select 'cluster' || n, 'Cluster ' || n, 'local', '', $1 from generate_series(0, ${CLUSTERS - 1}) n`
/** A price that was set at the beginning and changed five times, never at midnight. */
const rates = `
  insert into usage_rates (cluster_id, size, from_at, per_core_hour, per_gpu_hour)
  select 'cluster' || n, '', $1::timestamptz - m * interval '60 days' + n * interval '1 minute', 0.01 * m, 1
  from generate_series(0, ${CLUSTERS - 1}) n, generate_series(1, 6) m`
/** Nodes that were alternately busy and idle, and what exists now: a node in use and a disk. */
const machines = [
  `insert into usage_machines (cluster_id, kind, name, state, from_at, to_at, per_hour)
  select 'cluster' || n, 'machine', 'n' || k, case when h % 2 = 0 then 'busy' else 'idle' end,
    $1::timestamptz - h * interval '70 hours', $1::timestamptz - (h - 1) * interval '70 hours', 0.5
  from generate_series(0, ${CLUSTERS - 1}) n, generate_series(1, ${NODES}) k, generate_series(1, 125) h`,
  `insert into usage_machines (cluster_id, kind, name, state, from_at, per_hour)
  select 'cluster' || n, kind, kind, 'idle', $1::timestamptz - random() * interval '300 days', 0.1
  from generate_series(0, ${CLUSTERS - 1}) n, (values ('machine'), ('disk')) k(kind)`,
]

const product = await startProduct()
const database = new pg.Client({ connectionString: product.databaseUrl() })
try {
  await database.connect()
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const end = new Date(END)
  /** The server folds every minute too, but never at the same time. */
  const fold = async () => {
    for (;;) {
      await database.query('select usage_fold($1)', [FOLD])
      const { rows } = await database.query(
        'select exists (select from usage_job_deltas) or exists (select from usage_machine_deltas) as left',
      )
      if (!rows[0].left) return
    }
  }
  for (const text of [clusters, rates, ...machines, running]) await database.query(text, [end])
  await fold()

  const person = { userAccount: 'person7' }
  const cluster = { cluster: `cluster${7 * CLUSTERS_EACH}` }
  /** @type {Record<string, () => Promise<unknown>>} */
  const calls = {
    'accounts of a year': () => product.call(api.account.list, range(365), token),
    'accounts of 30 days': () => product.call(api.account.list, range(30), token),
    'accounts of a year on one cluster': () =>
      product.call(api.account.list, { ...range(365), query: cluster }, token),
    'clusters of a year': () => product.call(api.usages.list, range(365), token),
    'nodes and disks of one cluster in a year': () =>
      product.call(api.usages.details, { clusterId: cluster.cluster, ...range(365) }, token),
    'days and gaps of a year': () => product.call(api.usages.summary, range(365), token),
    "one person's days and clusters in a year": () =>
      product.call(api.usages.summary, { ...range(365), query: { account: 'person7' } }, token),
    // The limits are about the number of jobs in a tenth of the records, so that the replies are equally long.
    'first 100 jobs of one person in a year': () =>
      product.call(api.account.details, { ...person, ...range(365), query: { limit: 100 } }, token),
    'first 20 jobs of one person on one cluster in a year': () =>
      product.call(
        api.account.details,
        { ...person, ...range(365), query: { ...cluster, limit: 20 } },
        token,
      ),
  }
  const measure = async () => {
    await database.query('vacuum analyze')
    /** @type {Record<string, number>} */
    const found = {}
    for (const [name, call] of Object.entries(calls)) {
      const times = []
      await call()
      for (let round = 0; round < ROUNDS; round++) {
        const begun = performance.now()
        await call()
        times.push(performance.now() - begun)
      }
      found[name] = median(times)
    }
    return found
  }
  /** Adds records as if they arrived one by one, but faster. */
  const add = async (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let at = from; at < to; at += 100_000) {
      await database.query(seed, [at + 1, Math.min(at + 100_000, to), end])
    }
    await fold()
  }
  await add(0, FEW)
  const few = await measure()
  const begun = performance.now()
  await add(FEW, MANY)
  const seconds = (performance.now() - begun) / 1000
  print({
    measure: 'records written and summed up',
    value: Math.round((MANY - FEW) / seconds),
    unit: '/s',
  })
  const many = await measure()
  for (const [name, value] of Object.entries(many)) {
    const before = few[name] ?? 0
    print({
      measure: `${name}, of ${MANY.toLocaleString('en')} records (median of ${ROUNDS})`,
      value: Math.round(value),
      unit: 'ms',
      beside: `of ${FEW.toLocaleString('en')} records ${Math.round(before)} ms`,
      ratio: Number((value / before).toFixed(2)),
      goal: `<= ${GOAL_MS} ms, <= ${MOST_TIMES} times`,
      ok: value <= GOAL_MS && value <= MOST_TIMES * before,
    })
  }
} finally {
  await database.end()
  await product.stop()
}
