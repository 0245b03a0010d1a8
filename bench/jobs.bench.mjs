// @ts-check
// Jobs over a real Slurm: how fast they are submitted, and how soon the page shows their state.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { api, median, print, startProduct } from './support/server.mjs'
import { openPost } from './support/post.mjs'
import { lastStroke, openPage, paintOf, watchStrokes } from './support/browser.mjs'
import { startSlurm } from './support/typescript.mjs'

const ROUNDS = 7
const SUBMITS = 200
const WARM_UP = 5
const TASKS = 500
const JOBS = 20
const IDLE_JOBS = 3
const IDLE_MS = 30_000
const QUEUE = 10_000
const script = '#!/bin/bash\ntrue\n'

// Slurm forgets ended jobs soon, so that no part of this benchmark finds another part's jobs.
const conf = 'MaxJobCount=20000\nMaxArraySize=20000\nMinJobAge=20'
const slurm = await startSlurm({ nodes: 2, cpus: 4, conf })

/** @param {string[]} argv @param {string} [input] @returns {Promise<string>} */
function run(argv, input = '') {
  return new Promise((resolve, reject) => {
    const [command = '', ...args] = argv
    const child = spawn(command, args, { env: { ...process.env, ...slurm.env }, cwd: slurm.workdir })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (printed += text))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(printed.trim()) : reject(new Error(`${argv.join(' ')}: ${printed}`)),
    )
    child.stdin.end(input)
  })
}

/**
 * Runs something many times with some concurrency, and returns the rate per second.
 * @param {number} atOnce
 * @param {(worker: number) => Promise<unknown>} work
 */
async function perSecond(atOnce, work) {
  let left = SUBMITS
  const begun = performance.now()
  const worker = async (/** @type {number} */ index) => {
    while (left-- > 0) await work(index)
  }
  await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index)))
  return SUBMITS / ((performance.now() - begun) / 1000)
}

/** @param {number[]} values @param {number} share */
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

const product = await startProduct()
try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const cluster = await product.call(
    api.clusters.createLocal,
    {
      body: {
        name: 'Slurm',
        data: { manager: 'slurm', transport: 'local', slurmConf: slurm.env.SLURM_CONF },
      },
    },
    token,
  )
  await product.call(api.clusters.deploy, { body: { id: cluster.id } }, token)
  const counts = () => product.call(api.clusters.view, { id: cluster.id }, token)
  const until = async (/** @type {(now: any) => boolean} */ isSo) => {
    for (let tries = 0; tries < 600; tries++) {
      if (isSo(await counts())) return
      await pause(100)
    }
    throw new Error('The cluster was not ready within a minute')
  }
  await until((now) => now.info.state === 'available' && now.nodes.total === 2)
  const job = await product.call(api.jobs.create, { body: { name: 'bench', data: { script } } }, token)

  const posts = [0, 1, 2, 3].map(() => openPost(product.port, api.jobs.submit.path, token))
  const submit = (/** @type {{ id: string }} */ { id }, worker = 0) =>
    posts[worker]?.post({ id, cluster: cluster.id, runAsAdmin: true }) ?? Promise.reject(new Error('no post'))
  await submissions((worker) => submit(job, worker))
  const array = await product.call(
    api.jobs.create,
    { body: { name: 'bench', data: { script, array: `1-${TASKS}` } } },
    token,
  )
  await arrays(() => submit(array))
  for (const { close } of posts) close()
  const page = await openPage(product.url, token)
  try {
    await toThePaint(page, `/clusters/${cluster.id}`)
    await longQueue(page, `/clusters/${cluster.id}`, () => until((now) => now.queue.queued >= QUEUE))
  } finally {
    await page.close()
  }
} finally {
  await product.stop()
  await slurm.stop()
}

/**
 * The baseline is a program without the console: Node starts sbatch with the same script on its standard input, under
 * the same account, and reads the job id. Through the API, the same account runs the job as an admin; the submission is
 * on disk before sbatch is started, and its job id is in the database before the reply.
 * @param {(worker: number) => Promise<unknown>} viaApi
 */
async function submissions(viaApi) {
  // No job starts, so that only the submission is measured.
  await run(['scontrol', 'update', 'nodename=ALL', 'state=drain', 'reason=bench'])
  const bySbatch = () => run(['sbatch', '--parsable', '--job-name=bench', '--output=/dev/null'], script)
  // Removes the jobs of a round, so that they do not affect the next.
  const tidy = async () => {
    await run(['scancel', '--name=bench'])
    await pause(1000)
  }
  // Code is slow until it has run often, and the product has more of it.
  for (let round = 0; round < WARM_UP; round++) await perSecond(4, viaApi)
  await perSecond(4, bySbatch)
  for (const atOnce of [1, 4]) {
    const rounds = []
    // The two alternate, so that other load on the machine affects both.
    for (let round = 0; round < ROUNDS; round++) {
      await tidy()
      const theirs = await perSecond(atOnce, bySbatch)
      const ours = await perSecond(atOnce, viaApi)
      rounds.push({ ours, theirs, ratio: ours / theirs })
    }
    const ratio = median(rounds.map((round) => round.ratio))
    print({
      measure: `POST /api/jobs/submit over Slurm, ${atOnce} at a time (median of ${ROUNDS} x ${SUBMITS})`,
      value: median(rounds.map(({ ours }) => ours)).toFixed(1),
      unit: 'jobs/s',
      beside: `Node spawning sbatch: ${median(rounds.map(({ theirs }) => theirs)).toFixed(1)} jobs/s`,
      ratio: Number(ratio.toFixed(2)),
      goal: 'ratio >= 0.9',
      ok: ratio >= 0.9,
    })
  }
  await tidy()
}

/** @param {() => Promise<unknown>} viaApi */
async function arrays(viaApi) {
  const args = ['sbatch', '--parsable', '--job-name=bench', '--output=/dev/null', `--array=1-${TASKS}`]
  const time = async (/** @type {() => Promise<unknown>} */ work) => {
    const begun = performance.now()
    await work()
    return performance.now() - begun
  }
  const rounds = []
  await viaApi()
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ theirs: await time(() => run(args, script)), ours: await time(viaApi) })
  print({
    measure: `an array of ${TASKS} tasks submitted in one call (median of ${ROUNDS})`,
    value: median(rounds.map(({ ours }) => ours)).toFixed(1),
    unit: 'ms',
    beside: `Node spawning sbatch: ${median(rounds.map(({ theirs }) => theirs)).toFixed(1)} ms`,
    ratio: Number(median(rounds.map(({ ours, theirs }) => theirs / ours)).toFixed(2)),
  })
  await run(['scancel', '--name=bench'])
  await run(['scontrol', 'update', 'nodename=ALL', 'state=resume'])
}

/**
 * Jobs that are submitted one after another with sbatch; each records when it began and when it was about to end. All
 * three clocks are this machine's.
 * @param {import('@playwright/test').Page} page @param {string} path
 */
async function toThePaint(page, path) {
  // The filter shows only these jobs, whatever else is in the queue.
  await page.goto(`${path}?q=paint&by=contains&in=name`)
  const began = []
  const ended = []
  const one = async (/** @type {string} */ name) => {
    const file = join(slurm.workdir, name)
    const paints = Promise.all(['Running', 'Completed'].map((state) => paintOf(page, 'Jobs', [name, state])))
    paints.catch(() => {}) // awaited below, after the job is submitted
    await run(
      ['sbatch', '--parsable', `--job-name=${name}`, '--output=/dev/null'],
      `#!/bin/bash\ndate +%s%3N > ${file}\nsleep 5\ndate +%s%3N >> ${file}\n`,
    )
    const [running = 0, completed = 0] = await paints
    const [begin, end] = readFileSync(file, 'utf8').split('\n').map(Number)
    return { began: running - (begin ?? 0), ended: completed - (end ?? 0) }
  }
  await one('paint-warm')
  for (let index = 0; index < JOBS; index++) {
    const took = await one(`paint-${index}-`)
    began.push(took.began)
    ended.push(took.ended)
  }
  for (const [what, values] of /** @type {const} */ ([
    ['begins', began],
    ['ends', ended],
  ])) {
    const p95 = quantile(values, 0.95)
    print({
      measure: `a job ${what} in Slurm, to the paint on the cluster's page (${JOBS} jobs by hand, one after the other), p95`,
      value: Math.round(p95),
      unit: 'ms',
      beside: `p50 ${Math.round(quantile(values, 0.5))} ms`,
      goal: '< 1500 ms',
      ok: p95 < 1500,
    })
  }
  const first = []
  for (let index = 0; index < IDLE_JOBS; index++) {
    await pause(IDLE_MS)
    first.push((await one(`paint-quiet-${index}`)).began)
  }
  print({
    measure: `the same for a job by hand after ${IDLE_MS / 1000} s of quiet (the poller is slow then), worst of ${IDLE_JOBS}`,
    value: Math.round(Math.max(...first)),
    unit: 'ms',
  })
}

/** @param {import('@playwright/test').Page} page @param {string} path @param {() => Promise<void>} isSeen */
async function longQueue(page, path, isSeen) {
  await run(['scontrol', 'update', 'nodename=ALL', 'state=drain', 'reason=bench'])
  // Submitted one by one, because the waiting tasks of an array are a single row.
  const file = join(slurm.workdir, 'long.sh')
  writeFileSync(file, script)
  const submit = `xargs -P4 -I{} sbatch --job-name=long-{} --output=/dev/null ${file}`
  await run(['sh', '-c', `seq ${QUEUE} | ${submit} >/dev/null`])
  await isSeen()
  // The page remembers the table's previous filter.
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key !== 'flotilla.token') localStorage.removeItem(key)
  })
  const firsts = []
  for (let round = 0; round < 5; round++) {
    await page.goto('about:blank')
    const begun = Date.now()
    await page.goto(path, { waitUntil: 'commit' })
    firsts.push((await paintOf(page, 'Jobs', ['long-'])) - begun)
  }
  const first = median(firsts)
  print({
    measure: `queue page with ${QUEUE} queued jobs in a real Slurm, opened by its address, to its first rows (median of 5)`,
    value: Math.round(first),
    unit: 'ms',
    goal: '< 1000 ms',
    ok: first < 1000,
  })
  const filter = page.getByLabel('Filter Jobs', { exact: true })
  await watchStrokes(page)
  const own = []
  const rows = []
  // From '77' to '777': the row of long-2777 is far out of view before, and near the top afterward.
  for (const digit of [3, 4, 5, 6, 7, 8, 9].map(String)) {
    await filter.fill(digit.repeat(2))
    await pause(1000)
    const found = paintOf(page, 'Jobs', [`long-2${digit.repeat(3)}`])
    await filter.press('End')
    await page.keyboard.type(digit)
    const painted = await found
    const stroke = await lastStroke(page)
    own.push(stroke.painted - stroke.at)
    rows.push(painted - stroke.at)
  }
  print({
    measure: 'a keystroke in the filter of that queue, to the paint of the field (median of 7)',
    value: Math.round(median(own)),
    unit: 'ms',
    beside: `worst ${Math.round(Math.max(...own))} ms`,
    goal: '< 50 ms',
    ok: median(own) < 50,
  })
  print({
    measure: 'the same, to the paint of the rows that match, which the server finds (median of 7)',
    value: Math.round(median(rows)),
    unit: 'ms',
    beside: `worst ${Math.round(Math.max(...rows))} ms`,
  })
}
