// @ts-check
// Accounting over a year of a million job records, and over a tenth of them: how long the server takes for each call.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { api, median, print, startProduct } from './server.mjs'

const require = createRequire(join(import.meta.dirname, '../apps/server/package.json'))
const { default: pg } = await import(require.resolve('pg'))

const ROUNDS = 9
const GOAL_MS = 300
const MOST_TIMES = 2
const MANY = 1_000_000
const FEW = MANY / 10
const DAY_MS = 24 * 60 * 60_000
const END = Math.floor(Date.now() / DAY_MS) * DAY_MS
/** At no midnight, so that both ends are cut. */
const range = (/** @type {number} */ days) => ({
  startMs: String(END - days * DAY_MS + 12_345_678),
  endMs: String(END - 7_654_321),
})

/** Jobs of 200 people on 20 clusters over a year, of seconds to hours. */
const seed = `
  insert into usage_jobs (cluster_id, native_id, started_at, ended_at, account, user_id, name, state, nodes, cores, gpus)
  select 'cluster' || n % 20, n::text, at, at + random() * random() * interval '8 hours', 'person' || p, '', 'job ' || n,
    'succeeded', 1 + n % 4, 1 + n % 64, n % 3
  from (select n, (n::bigint * 7919) % 200 as p, $3::timestamptz - random() * interval '365 days' as at
    from generate_series($1::int, $2::int) n) s`
/** What the trigger keeps while jobs come in one by one, at once. */
const sums = `
  insert into usage_days
  select p.day, j.cluster_id, j.size, j.user_id, j.account, sum(p.begins), sum(p.ms * j.cores), sum(p.ms * j.gpus),
    sum(p.ms * j.nodes)
  from usage_jobs j, usage_day_parts(j.started_at, j.ended_at) p group by 1, 2, 3, 4, 5`
const clusters = `
  insert into usage_feeds (cluster_id, name, provider, owner_id, seen_at)
  select 'cluster' || n, 'Cluster ' || n, 'local', '', $1 from generate_series(0, 19) n`
/** A price that was set at the beginning and changed once. */
const rates = `
  insert into usage_rates (cluster_id, size, from_at, per_core_hour, per_gpu_hour)
  select 'cluster' || n, '', $1::timestamptz - m * interval '180 days' + interval '1 hour', 0.01 * m, 1
  from generate_series(0, 19) n, generate_series(1, 2) m`
/** 20 nodes a cluster that were busy and idle in turn. */
const machines = `
  insert into usage_machines (cluster_id, kind, name, state, from_at, to_at, per_hour)
  select 'cluster' || n, 'machine', 'n' || k, case when h % 2 = 0 then 'busy' else 'idle' end,
    $1::timestamptz - h * interval '30 hours', $1::timestamptz - (h - 1) * interval '30 hours', 0.5
  from generate_series(0, 19) n, generate_series(1, 20) k, generate_series(1, 290) h`

const product = await startProduct()
const database = new pg.Client({ connectionString: product.databaseUrl() })
try {
  await database.connect()
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const end = new Date(END)
  for (const text of [clusters, rates, machines]) await database.query(text, [end])

  const calls = {
    'accounts of a year': () => product.call(api.account.list, range(365), token),
    'accounts of 30 days': () => product.call(api.account.list, range(30), token),
    'clusters of a year': () => product.call(api.usages.list, range(365), token),
    'days and gaps of a year': () => product.call(api.usages.summary, range(365), token),
    'first 1,000 jobs of one person in a year': () =>
      product.call(
        api.account.details,
        { userAccount: 'person7', ...range(365), query: { limit: 1000 } },
        token,
      ),
  }
  const measure = async () => {
    await database.query('vacuum analyze usage_jobs, usage_days, usage_machines, usage_machine_days')
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
  const add = async (/** @type {number} */ from, /** @type {number} */ to) => {
    await database.query('alter table usage_jobs disable trigger user')
    for (let at = from; at < to; at += 50_000)
      await database.query(seed, [at + 1, Math.min(at + 50_000, to), end])
    await database.query('alter table usage_jobs enable trigger user')
    await database.query('truncate usage_days')
    await database.query(sums)
  }

  await add(0, FEW)
  const few = await measure()
  await add(FEW, MANY)
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
