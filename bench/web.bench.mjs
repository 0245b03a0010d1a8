// @ts-check
// What a browser downloads for the first two pages and when they are rendered, over a 10 Mbit/s connection with 40 ms
// of latency.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from '@playwright/test'
import { root } from '../scripts/running/child.mjs'
import { parts } from '../scripts/parts/parts.mjs'
import { api, median, print, startProduct } from './support/server.mjs'

const ROUNDS = 5
const LINE = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 }
/** How long to wait after the page is ready: late layout shifts and long tasks still count. */
const SETTLE_MS = 1000

/** Comparable products, measured by this project in the same way: gzip as transferred, median of 5. */
const peers = {
  'Slurm-web login': { js: 223, css: 11, requests: 9, lcp: 748 },
  'Oxide login': { js: 235, css: 21, requests: 35, lcp: 1340 },
  'MAAS login': { js: 432, css: 138, requests: 15, lcp: 1396 },
  'Oxide /projects': { js: 316, css: 21, requests: 71, lcp: 1800 },
  'ParallelCluster UI, clusters': { js: 524, css: 201, requests: 32, lcp: 1740 },
}
/** @typedef {'js' | 'css' | 'requests' | 'lcp'} Figure */
/** @param {Figure} figure @param {(keyof typeof peers)[]} names */
const beside = (figure, names) => names.map((name) => `${name} ${peers[name][figure]}`).join(', ')
const logins = /** @type {const} */ (['Slurm-web login', 'Oxide login', 'MAAS login'])
const lists = /** @type {const} */ (['Oxide /projects', 'ParallelCluster UI, clusters'])

/** Runs in the page before any other script. */
function observe() {
  const seen = { lcp: 0, shift: 0, blocking: 0 }
  Object.assign(window, { seen })
  /** @param {string} type @param {(entry: any) => void} note */
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  watch('largest-contentful-paint', (entry) => (seen.lcp = entry.startTime))
  watch('layout-shift', (entry) => (seen.shift += entry.hadRecentInput ? 0 : entry.value))
  watch('longtask', (entry) => (seen.blocking += Math.max(0, entry.duration - 50)))
}

/**
 * One visit with an empty cache.
 * @param {import('@playwright/test').Browser} browser
 * @param {string} url
 * @param {{ token?: string, ready: (page: import('@playwright/test').Page) => Promise<unknown> }} options
 */
async function visit(browser, url, { token, ready }) {
  const { origin } = new URL(url)
  const localStorage = token ? [{ name: 'flotilla.token', value: token }] : []
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
    // The other products were measured with gzip; brotli, which the product also supports, is smaller.
    extraHTTPHeaders: { 'accept-encoding': 'gzip' },
  })
  const page = await context.newPage()
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.setCacheDisabled', { cacheDisabled: true })
  await line.send('Network.emulateNetworkConditions', LINE)
  await page.addInitScript(observe)

  /** @type {Map<string, { type: string, bytes: number }>} */
  const fetched = new Map()
  line.on('Network.requestWillBeSent', ({ requestId, type = 'Other', request }) => {
    if (request.url.startsWith('http')) fetched.set(requestId, { type, bytes: 0 })
  })
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = fetched.get(requestId)
    if (one) one.bytes = encodedDataLength
  })
  await page.goto(url)
  await ready(page)
  const requests = fetched.size
  await page.waitForTimeout(SETTLE_MS)
  const seen = await page.evaluate(
    () => /** @type {{ lcp: number, shift: number, blocking: number }} */ (Reflect.get(window, 'seen')),
  )
  await context.close()
  const kilobytes = (/** @type {string[]} */ ...types) =>
    [...fetched.values()]
      .filter(({ type }) => types.length === 0 || types.includes(type))
      .reduce((sum, { bytes }) => sum + bytes, 0) / 1024
  return { ...seen, requests, js: kilobytes('Script'), css: kilobytes('Stylesheet'), all: kilobytes() }
}

/**
 * The chunks that visits do not load at once, by when they are loaded: a route's own chunks with its page (including
 * those that it shares with others), and all others on demand (an editor, a terminal, a chart, a dialog).
 */
function laterChunks() {
  const folder = join(root, 'apps/web/dist')
  /** @type {Record<string, { file: string, name?: string, imports?: string[], dynamicImports?: string[] }>} */
  const chunks = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'))
  // The name is set in vite.config.ts; without it, every figure here would be wrong.
  const entry = Object.keys(chunks).find((key) => chunks[key]?.name === 'app')
  if (!entry) throw new Error('The build has no chunk "app"')
  /** @param {string} key @param {Set<string>} seen */
  const withImports = (key, seen = new Set()) => {
    if (seen.has(key)) return seen
    seen.add(key)
    for (const next of chunks[key]?.imports ?? []) withImports(next, seen)
    return seen
  }
  /** @param {Iterable<string>} keys */
  const sizes = (keys) =>
    [...keys]
      .filter((key) => key !== entry && chunks[key]?.file.endsWith('.js'))
      .map((key) => ({
        name: chunks[key]?.file.replace(/.*\/|-.{8}\.js$/g, '') ?? '',
        size: gzipSync(readFileSync(join(folder, chunks[key]?.file ?? '')), { level: 9 }).length / 1024,
      }))
      .toSorted((one, other) => other.size - one.size)
  const routes = new Set((chunks[entry]?.dynamicImports ?? []).flatMap((key) => [...withImports(key)]))
  return {
    ofRoutes: sizes(routes),
    onDemand: sizes(Object.keys(chunks).filter((key) => !routes.has(key))),
  }
}

/** @param {string} measure @param {number} value @param {string} unit @param {number} limit @param {object} [more] */
const limited = (measure, value, unit, limit, more = {}) =>
  print({
    measure,
    value: Number(value.toFixed(value < 10 ? 3 : 1)),
    unit,
    goal: `<= ${limit}${unit && ` ${unit}`}`,
    ok: value <= limit,
    ...more,
  })

const product = await startProduct({ also: join(root, 'bench/support/held-page.mjs') })
const browser = await chromium.launch({
  executablePath: parts.find(({ name }) => name === 'chromium')?.find(),
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const person = { username: 'bench', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' }
  const { password } = product.admin
  await product.call(api.users.create, { body: { ...person, password, role: ['user'] } }, token)
  const user = await product.call(api.auth.login, { body: { username: 'bench', password } })

  /** @typedef {Awaited<ReturnType<typeof visit>>} Visit */
  /** @type {{ held: Visit, login: Visit, shell: Visit }[]} */
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      held: await visit(browser, `${product.url}/held-page`, {
        ready: (page) => page.getByRole('heading').waitFor(),
      }),
      login: await visit(browser, `${product.url}/login`, {
        ready: (page) => page.getByRole('heading', { name: 'Clusters when you need them' }).waitFor(),
      }),
      shell: await visit(browser, `${product.url}/clusters`, {
        token: user.token,
        ready: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
      }),
    })
  }
  /** @param {'held' | 'login' | 'shell'} page @param {'lcp' | 'shift' | 'blocking' | 'requests' | 'js' | 'css' | 'all'} figure */
  const typical = (page, figure) => median(rounds.map((round) => round[page][figure]))
  const ratio = (/** @type {number} */ ours, /** @type {number} */ theirs) => ({
    ratio: Number((ours / theirs).toFixed(2)),
  })

  const js = typical('login', 'js')
  limited('/login JavaScript, gzip', js, 'KB', 110, { beside: beside('js', [...logins]), ...ratio(js, 223) })
  limited('/login CSS, gzip', typical('login', 'css'), 'KB', 12, { beside: beside('css', [...logins]) })
  limited('/login requests', typical('login', 'requests'), '', 8, { beside: beside('requests', [...logins]) })
  print({
    measure: '/login everything, with the font',
    value: typical('login', 'all').toFixed(0),
    unit: 'KB',
  })
  const [lcp, held] = [typical('login', 'lcp'), typical('held', 'lcp')]
  limited(`/login largest contentful paint (median of ${ROUNDS})`, lcp, 'ms', Math.round(held + 250), {
    beside: `bare page held back 500 ms by the same process: ${held.toFixed(0)} ms`,
    ...ratio(lcp, held),
  })
  limited('/login largest contentful paint beside the peers', lcp, 'ms', peers['Slurm-web login'].lcp, {
    beside: beside('lcp', [...logins]),
    ...ratio(lcp, peers['Slurm-web login'].lcp),
  })
  limited('/login blocking time', typical('login', 'blocking'), 'ms', 50)
  limited('/login layout shift', typical('login', 'shift'), '', 0.02)
  const shellJs = typical('shell', 'js')
  limited('/clusters JavaScript, gzip', shellJs, 'KB', 200, {
    beside: beside('js', [...lists]),
    ...ratio(shellJs, 316),
  })
  print({
    measure: '/clusters CSS, gzip',
    value: typical('shell', 'css').toFixed(1),
    unit: 'KB',
    beside: beside('css', [...lists]),
  })
  print({
    measure: '/clusters requests to the first heading',
    value: typical('shell', 'requests'),
    beside: beside('requests', [...lists]),
  })
  print({
    measure: `/clusters largest contentful paint (median of ${ROUNDS})`,
    value: typical('shell', 'lcp').toFixed(0),
    unit: 'ms',
    beside: beside('lcp', [...lists]),
    ...ratio(typical('shell', 'lcp'), peers['Oxide /projects'].lcp),
  })
  const { ofRoutes, onDemand } = laterChunks()
  const listed = (/** @type {typeof onDemand} */ list) =>
    list.map(({ name, size }) => `${name} ${size.toFixed(1)}`).join(', ')
  const [largest = { name: 'none', size: 0 }, ...others] = ofRoutes
  limited(`largest chunk of any other route (${largest.name}), gzip`, largest.size, 'KB', 40, {
    beside: listed(others.slice(0, 3)),
  })
  const [engine = { name: 'none', size: 0 }, ...smaller] = onDemand
  print({
    measure: `largest chunk that a page asks for only when it draws it (${engine.name}), gzip`,
    value: engine.size.toFixed(1),
    unit: 'KB',
    beside: listed(smaller.slice(0, 4)),
  })
} finally {
  await browser.close()
  await product.stop()
}
