// @ts-check
// Requests per second through the proxy for apps, compared with a bare Node proxy in front of the same program.
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startNode, startProduct } from './support/server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 9)
const SECONDS = Number(process.env.SECONDS ?? 2)
const GOAL = 0.8
const MACHINE = "with the machine's network"

/** Replies to every request with a kilobyte that begins with its port. */
const program = `const body = process.env.PORT.padEnd(1024); require("node:http").createServer((_, response) => response.setHeader("content-length", 1024).end(body)).listen(process.env.PORT, process.env.HOST)`

const load = async (/** @type {number} */ port, /** @type {Record<string, string>} */ headers = {}) => {
  const args = [
    join(root, 'bench/support/load.mjs'),
    String(port),
    '/',
    String(SECONDS),
    '',
    JSON.stringify(headers),
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { perSecond, refusals } = JSON.parse(stdout)
  if (refusals > 0) throw new Error(`${refusals} requests were rejected`)
  return perSecond
}

/** @template T @param {() => Promise<T | undefined | false>} attempt @returns {Promise<T>} */
async function waitFor(attempt) {
  for (let tries = 0; tries < 600; tries++) {
    const it = await attempt()
    if (it) return it
    await pause(200)
  }
  throw new Error('Not available within two minutes')
}

const product = await startProduct()
/** @type {Awaited<ReturnType<typeof startNode>> | undefined} */
let bare
try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const cluster = await waitFor(async () =>
    (await product.call(api.clusters.list, {}, token)).find(({ info }) => info.state === 'available'),
  )
  const body = { name: 'bench', script: `exec ${process.execPath} -e '${program}'` }
  const app = await product.call(api.apps.create, { body }, token)

  /** @param {Record<string, string>} headers @returns {Promise<string>} */
  const fetchText = (headers) =>
    new Promise((resolve, reject) => {
      request(product.url, { headers }, (answer) => resolve(text(answer)))
        .once('error', reject)
        .end()
    })
  /** Starts a session and returns its host name and the cookie that opens it. */
  const open = async () => {
    const { id } = await product.call(
      api.appSessions.launch,
      { body: { app: app.id, cluster: cluster.id } },
      token,
    )
    await waitFor(async () => (await product.call(api.appSessions.view, { id }, token)).state === 'ready')
    const url = new URL((await product.call(api.appSessions.open, { id }, token)).url)
    const cookie = await new Promise((resolve, reject) => {
      request(product.url + url.pathname + url.search, { headers: { host: url.host } }, (answer) =>
        resolve(answer.resume().headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''),
      )
        .once('error', reject)
        .end()
    })
    const headers = { Host: url.host, Cookie: cookie }
    return { headers, port: (await fetchText(headers)).trim() }
  }

  const measure = async (/** @type {string} */ network) => {
    const { headers, port } = await open()
    // The bare proxy is in front of the same process, which has a job's priority; the process can only be reached on
    // the machine's network.
    if (network === MACHINE)
      bare = await startNode([join(root, 'bench/support/bare-proxy.mjs')], { TARGET: port }, '/')
    if (!bare) throw new Error('There is no proxy to compare with')
    /** @type {number[]} */
    const ours = []
    /** @type {number[]} */
    const theirs = []
    // The two alternate, so that other load on the machine affects both.
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push(await load(bare.port))
      ours.push(await load(product.port, headers))
    }
    // The median of the rounds' ratios, because the machine may be slower in some rounds.
    const ratio = Number(median(ours.map((one, round) => one / (theirs[round] ?? 0))).toFixed(2))
    print({
      measure: `app proxy, ${network} (median of ${ROUNDS})`,
      value: Math.round(median(ours)),
      unit: 'requests/s',
      beside: `bare Node proxy: ${Math.round(median(theirs))}`,
      ratio,
      goal: `>= ${GOAL}`,
      ok: ratio >= GOAL,
    })
  }
  const setReach = (/** @type {boolean} */ jobsReachConsole) =>
    product.call(api.settings.setSecurity, { body: { jobsReachConsole } }, token)
  await setReach(true)
  await measure(MACHINE)
  await setReach(false)
  await measure('into the network of a job of its own')
} finally {
  await bare?.stop()
  await product.stop()
}
