// @ts-check
// How fast people log in, alone and while strangers send wrong passwords. Addresses are made up: the product trusts this
// machine as a proxy.
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { median, print, startProduct } from './server.mjs'

const PEOPLE = 300
const WRONG = 1000
const ROUNDS = 5
const GOAL_MS = 1000
/** What is lost beside bare argon2: a session, the audit trail and the counters are written at each login. */
const GOAL_RATIO = 0.6
const PASSWORD = 'Correct-Horse-7!'

const product = await startProduct({ env: { TRUST_PROXY: 'loopback' } })
/** @param {string} address @param {string} username @param {string} password */
async function login(address, username, password) {
  const begun = performance.now()
  const reply = await fetch(`${product.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username, password }),
  })
  await reply.text()
  return { status: reply.status, ms: performance.now() - begun }
}
/** @param {string} address @param {string} username */
async function mustLogin(address, username) {
  const { status, ms } = await login(address, username, PASSWORD)
  if (status !== 200) throw new Error(`the login of ${username} was refused with ${status}`)
  return ms
}

/** Two at once, as the product does. */
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
 * The median of how long a login takes while wrong ones wait.
 * @param {string} measure
 * @param {(index: number, round: number) => string} from where the wrong ones come from
 * @param {(round: number) => Promise<number>} enter
 */
async function duringFlood(measure, from, enter) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const flood = Array.from({ length: WRONG }, (_, index) =>
      login(from(index, round), `guess${round}x${index}`, 'wrong'),
    )
    // Their first answer says that all of them have arrived or are about to.
    await Promise.race(flood)
    times.push(await enter(round))
    await Promise.all(flood)
  }
  print({
    measure,
    value: Math.round(median(times)),
    unit: 'ms',
    beside: `worst ${Math.round(Math.max(...times))} ms`,
    goal: `< ${GOAL_MS} ms`,
    ok: Math.max(...times) < GOAL_MS,
  })
}

try {
  const { token } = await product.call('POST', '/api/auth/login', { body: product.admin })
  const names = Array.from({ length: PEOPLE }, (_, index) => `student${index}`)
  for (const username of names)
    await product.call('POST', '/api/users/', {
      token,
      body: {
        username,
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: `${username}@example.org`,
        password: PASSWORD,
        role: ['user'],
      },
    })

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
    `a login from elsewhere while ${WRONG} wrong ones of one address wait (median of ${ROUNDS})`,
    (_index, round) => `203.0.113.${round + 1}`,
    (round) => mustLogin(`192.0.2.${round + 1}`, 'student0'),
  )
  await mustLogin('203.0.113.99', 'student1')
  await duringFlood(
    `a login of someone known at the address that ${WRONG} wrong ones come from (median of ${ROUNDS})`,
    () => '203.0.113.99',
    () => mustLogin('203.0.113.99', 'student1'),
  )
  await mustLogin('192.0.2.99', 'student2')
  await duringFlood(
    `a login from a known address while ${WRONG} wrong ones of ${WRONG} addresses wait (median of ${ROUNDS})`,
    (index, round) => `10.${round}.${index >> 8}.${index & 255}`,
    () => mustLogin('192.0.2.99', 'student2'),
  )
} finally {
  await product.stop()
}
