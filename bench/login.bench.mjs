// @ts-check
// How long logins take, alone and while others send wrong passwords. Client addresses are made up: the product trusts
// this machine as a proxy.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startProduct } from './support/server.mjs'

// Resolved from the server's folder, where its packages are.
const require = createRequire(join(root, 'apps/server/package.json'))
const { hash, verify } = require('@node-rs/argon2')

const PEOPLE = 300
const WRONG = 1000
const ROUNDS = 3
const GOAL_MS = 1000
/** Compared with bare argon2: each login also writes a session, an audit record and counters. */
const GOAL_RATIO = 0.5
const PASSWORD = 'Correct-Horse-7!'

const product = await startProduct({ env: { TRUST_PROXY: 'loopback' } })
/** Logs in and returns how long it took. @param {string} address @param {string} username */
async function mustLogin(address, username) {
  const begun = performance.now()
  await product.from(address).call(api.auth.login, { body: { username, password: PASSWORD } })
  return performance.now() - begun
}

/** Two at a time, like the product. */
async function bareArgon2() {
  const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
  const stored = await hash(PASSWORD, options)
  const begun = performance.now()
  let left = PEOPLE
  const worker = async () => {
    while (left-- > 0) await verify(stored, PASSWORD)
  }
  await Promise.all([worker(), worker()])
  return PEOPLE / ((performance.now() - begun) / 1000)
}

/**
 * Measures logins while wrong ones are queued.
 * @param {string} measure
 * @param {string} from the address of the wrong logins, or `each` for a separate address for each
 * @param {() => Promise<number>} enter
 */
async function duringFlood(measure, from, enter) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const args = [
      join(root, 'bench/support/wrong-logins.mjs'),
      String(product.port),
      api.auth.login.path,
      String(WRONG),
      from,
      String(round),
    ]
    const flood = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise((resolve) => flood.once('close', resolve))
    await new Promise((resolve) => flood.stdout.once('data', resolve))
    times.push(await enter())
    await ended
  }
  print({
    measure: `${measure} (median of ${ROUNDS})`,
    value: Math.round(median(times)),
    unit: 'ms',
    beside: `worst ${Math.round(Math.max(...times))} ms`,
    goal: `< ${GOAL_MS} ms`,
    ok: median(times) < GOAL_MS,
  })
}

try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const names = Array.from({ length: PEOPLE }, (_, index) => `student${index}`)
  for (const username of names)
    await product.call(
      api.users.create,
      {
        body: {
          username,
          firstName: 'Ada',
          lastName: 'Lovelace',
          email: `${username}@example.org`,
          password: PASSWORD,
          role: ['user'],
        },
      },
      token,
    )

  /** @type {number[]} */
  const alone = []
  for (const username of names.slice(0, 50)) alone.push(await mustLogin('198.51.100.1', username))
  print({ measure: 'a login alone (median of 50)', value: Math.round(median(alone)), unit: 'ms' })

  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await bareArgon2()
    const begun = performance.now()
    await Promise.all(names.map((username) => mustLogin(`198.51.100.${10 + round}`, username)))
    rounds.push({ bare, ours: PEOPLE / ((performance.now() - begun) / 1000) })
  }
  const ratio = median(rounds.map(({ ours, bare }) => ours / bare))
  print({
    measure: `${PEOPLE} people log in at once from one address (median of ${ROUNDS})`,
    value: Math.round(median(rounds.map(({ ours }) => ours))),
    unit: 'logins/s',
    beside: `bare argon2, two at once, ${availableParallelism()} cores: ${Math.round(median(rounds.map(({ bare }) => bare)))}/s`,
    ratio: Number(ratio.toFixed(2)),
    goal: `ratio >= ${GOAL_RATIO}`,
    ok: ratio >= GOAL_RATIO,
  })

  await duringFlood(
    `a login from elsewhere while ${WRONG} wrong ones of one address wait`,
    '203.0.113.1',
    () => mustLogin('192.0.2.1', 'student0'),
  )
  await mustLogin('203.0.113.99', 'student1')
  await duringFlood(
    `a login of someone known at the address that ${WRONG} wrong ones come from`,
    '203.0.113.99',
    () => mustLogin('203.0.113.99', 'student1'),
  )
  await mustLogin('192.0.2.99', 'student2')
  await duringFlood(
    `a login from a known address while ${WRONG} wrong ones of ${WRONG} addresses wait`,
    'each',
    () => mustLogin('192.0.2.99', 'student2'),
  )
} finally {
  await product.stop()
}
