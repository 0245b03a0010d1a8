// @ts-check
// Many clusters at once on the simulated cloud: how long, how much memory, and how soon a page hears of it.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { median, print, startProduct } from './server.mjs'

const CLUSTERS = Number(process.env.CLUSTERS ?? 100)
const MEMORY_GOAL_MB = 700
const HEARD_GOAL_MS = 1000

const product = await startProduct({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.05' } })
try {
  const { token } = await product.call('POST', '/api/auth/login', { body: product.admin })
  const data = { access_key: 'of the bench', secret_key: 'of the bench too' }
  const credential = await product.call('POST', '/api/credentials/', {
    token,
    body: { credentials: { name: 'Bench', provider: 'aws', data } },
  })
  /** @type {string[]} */
  const ids = []
  for (let count = 0; count < CLUSTERS; count++) {
    const cluster = {
      name: `Bench ${count}`,
      provider: 'aws',
      credential_id: credential.id,
      info: { 'os-type': 'ubuntu-22.04' },
      data: {
        manager: 'slurm',
        network: { region_id: 'us-east-1' },
        server: { instance_id: 't3.large' },
        node: { group: [{ count: 2, instance_id: 't3.large' }] },
      },
    }
    ids.push((await product.call('POST', '/api/clusters/', { token, body: { cluster } })).id)
  }

  // A browser that is told of changes and then asks, as the page does.
  const socket = io(product.url, { transports: ['websocket'], query: { token } })
  /** @type {number[]} */
  const heard = []
  let latest = 0
  socket.on('change', async () => {
    const at = Date.now()
    if (at - latest < 1000) return
    latest = at
    const lines = await product.call('GET', `/api/clusters/logs/${ids[0]}/deploy`, { token }).catch(() => [])
    const newest = lines.at(-1)
    if (newest && at - newest.time < 5000) heard.push(Math.max(0, Date.now() - newest.time))
  })

  const begun = performance.now()
  await Promise.all(ids.map((id) => product.call('POST', '/api/clusters/deploy', { token, body: { id } })))
  let most = 0
  /** @type {string[]} */
  let states = []
  do {
    await pause(1000)
    const status = readFileSync(`/proc/${product.pid}/status`, 'utf8')
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    const all = await product.call('GET', '/api/clusters/?limit=1000', { token })
    states = all
      .filter((/** @type {any} */ one) => ids.includes(one.id))
      .map((/** @type {any} */ one) => one.info.state)
  } while (states.some((state) => state === 'deploying'))
  const seconds = (performance.now() - begun) / 1000
  socket.close()
  const available = states.filter((state) => state === 'available').length
  print({
    measure: `${CLUSTERS} clusters of 3 machines deployed at once on the simulated cloud`,
    value: `${available} available after ${Math.round(seconds)}`,
    unit: 's',
    goal: 'all available',
    ok: available === CLUSTERS,
  })
  print({
    measure: 'memory of the server meanwhile, at most',
    value: Math.round(most),
    unit: 'MB',
    goal: `<= ${MEMORY_GOAL_MB} MB`,
    ok: most <= MEMORY_GOAL_MB,
  })
  print({
    measure: `from a line of the engine's log to the page, median of ${heard.length}`,
    value: median(heard),
    unit: 'ms',
    goal: `<= ${HEARD_GOAL_MS} ms`,
    ok: heard.length > 0 && median(heard) <= HEARD_GOAL_MS,
  })
} finally {
  await product.stop()
}
