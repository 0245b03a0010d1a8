// @ts-check
// Many clusters at once on the simulated cloud: how long they take, how much memory, and how soon a page is notified.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { api, median, print, startProduct } from './support/server.mjs'

const CLUSTERS = Number(process.env.CLUSTERS ?? 100)
const MEMORY_GOAL_MB = 700
const DELIVERY_GOAL_MS = 1000

const product = await startProduct({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.05' } })
try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const data = { access_key: 'of the bench', secret_key: 'of the bench too' }
  const credential = await product.call(
    api.credentials.create,
    { body: { name: 'Bench', provider: 'aws', data } },
    token,
  )
  /** @param {string} name @returns {Promise<string>} */
  const create = async (name) => {
    /** @type {import('@flotilla/contract/endpoint').Sent<typeof api.clusters.create>['body']} */
    const body = {
      name,
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
    return (await product.call(api.clusters.create, { body }, token)).id
  }
  /** @param {string[]} ids */
  const deploy = (ids) =>
    Promise.all(ids.map((id) => product.call(api.clusters.deploy, { body: { id } }, token)))
  /** @param {string[]} ids @returns {Promise<string[]>} */
  const statesOf = async (ids) => {
    const all = await product.call(api.clusters.list, { query: { limit: 1000 } }, token)
    return all.filter((one) => ids.includes(one.id)).map((one) => one.info.state)
  }

  // A browser that is notified of changes and then refetches, like the page.
  const watched = await create('Watched')
  const socket = io(product.url, { transports: ['websocket'], query: { token } })
  await new Promise((connected) => socket.on('connect', () => connected(undefined)))
  /** The age of each line when it has arrived. @type {number[]} */
  const ages = []
  socket.on('change', async () => {
    const lines = await product
      .call(api.clusters.logs, { id: watched, type: 'deploy' }, token)
      .catch(() => [])
    for (const line of lines.slice(ages.length)) ages.push(Math.max(0, Date.now() - line.time))
  })
  await deploy([watched])
  while ((await statesOf([watched])).includes('deploying')) await pause(500)
  socket.close()
  print({
    measure: `from a line of the engine's log to the page, median of ${ages.length}`,
    value: median(ages),
    unit: 'ms',
    beside: `worst ${Math.max(...ages)} ms`,
    goal: `<= ${DELIVERY_GOAL_MS} ms`,
    ok: median(ages) <= DELIVERY_GOAL_MS,
  })

  /** @type {string[]} */
  const ids = []
  for (let count = 0; count < CLUSTERS; count++) ids.push(await create(`Bench ${count}`))
  const begun = performance.now()
  await deploy(ids)
  let most = 0
  /** @type {string[]} */
  let states = []
  do {
    await pause(1000)
    const status = readFileSync(`/proc/${product.pid}/status`, 'utf8')
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    states = await statesOf(ids)
  } while (states.some((state) => state === 'deploying'))
  const seconds = (performance.now() - begun) / 1000
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
} finally {
  await product.stop()
}
