// @ts-check
// The cost of live updates: a thousand connections notified of one change, and fifty polled clusters.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startProduct } from './support/server.mjs'

// Resolved from the server's folder, where its packages are.
const require = createRequire(join(root, 'apps/server/package.json'))
const { io } = require('socket.io-client')

const PEOPLE = 40
/** Each user has one session, which may have 32 connections. */
const SOCKETS_EACH = 25
const SOCKETS = PEOPLE * SOCKETS_EACH
const ROUNDS = 5
const CLUSTERS = 50
const MINUTE_MS = 60_000
const SETTLE_MS = 40_000
const TICKS_PER_SECOND = 100

/** @param {string | number} pid */
const statOf = (pid) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // it ended in the meantime
  }
}
/** The server is the only child process that runs the built program. */
const serverPid = () =>
  readdirSync('/proc').find(
    (pid) =>
      /^\d+$/.test(pid) &&
      Number(statOf(pid)[1]) === process.pid &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dist/main.js'),
  ) ?? ''
/** The CPU seconds of the process without its children. @param {string} pid */
const cpuSeconds = (pid) => {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const product = await startProduct()
/** @type {any[]} */
const sockets = []
const { token } = await product.call(api.auth.login, { body: product.admin })
try {
  await thousandSockets()
  for (const socket of sockets.splice(0)) socket.disconnect()
  await fiftyClusters()
} finally {
  for (const socket of sockets) socket.disconnect()
  await product.stop()
}

/** Creates a session of a new admin, who can see every cluster. @param {string} username */
async function sessionOf(username) {
  const password = product.admin.password
  const person = { username, firstName: 'Ada', lastName: 'Lovelace', email: `${username}@example.org` }
  await product.call(api.users.create, { body: { ...person, password, role: ['admin'] } }, token)
  const session = await product.call(api.auth.login, { body: { username, password } })
  return session.token
}

async function thousandSockets() {
  const input = /** @type {const} */ ({
    name: 'Only saved',
    data: { manager: 'none', transport: 'local', virtualNodes: {} },
  })
  const { id } = await product.call(api.clusters.createLocal, { body: input }, token)
  /** @param {string} own */
  const connect = (own) =>
    new Promise((resolve, reject) => {
      const options = {
        query: { token: own },
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
      }
      const socket = io(product.url, options)
      sockets.push(socket)
      socket.once('connect', () => resolve(undefined))
      socket.once('connect_error', reject)
    })
  const people = Array.from({ length: PEOPLE }, (_, index) => `person${index}`)
  for (const username of people) {
    const own = await sessionOf(username)
    await Promise.all(Array.from({ length: SOCKETS_EACH }, () => connect(own)))
  }
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    await pause(1000)
    let left = SOCKETS
    const all = new Promise((resolve) => {
      for (const socket of sockets)
        socket.once('change', () => {
          left--
          if (left === 0) resolve(performance.now())
        })
    })
    const begun = performance.now()
    const body = { ...input, id, description: `round ${round}` }
    await product.call(api.clusters.updateLocal, { body }, token)
    times.push(Number(await all) - begun)
  }
  const worst = Math.max(...times)
  print({
    measure: `${SOCKETS} connected sockets of ${PEOPLE} people, from the call that changes a cluster to the last one told (worst of ${ROUNDS})`,
    value: Math.round(worst),
    unit: 'ms',
    beside: `median ${Math.round(median(times))} ms`,
    goal: '< 500 ms',
    ok: worst < 500,
  })
}

/** The CPU time of the server itself in a minute, without the programs that it starts. */
async function minute() {
  const pid = serverPid()
  const before = cpuSeconds(pid)
  await pause(MINUTE_MS)
  return cpuSeconds(pid) - before
}

async function fiftyClusters() {
  /** @type {string[]} */
  const ids = []
  try {
    await polling(ids)
  } finally {
    // Otherwise their executors and jobs would outlive the server.
    await Promise.allSettled(ids.map((id) => product.call(api.clusters.destroy, { body: { id } }, token)))
    await settled(ids, ({ info }) => info.state === 'destroyed' || info.state === 'saved')
  }
}

/** @param {string[]} ids receives the ids of the created clusters */
async function polling(ids) {
  const names = Array.from({ length: CLUSTERS }, (_, index) => `Cluster ${index + 1}`)
  await pause(SETTLE_MS)
  const alone = await minute()
  for (const name of names) {
    const data = /** @type {const} */ ({
      manager: 'none',
      transport: 'local',
      virtualNodes: { count: 1, cores: 1 },
    })
    const { id } = await product.call(api.clusters.createLocal, { body: { name, data } }, token)
    ids.push(id)
    await product.call(api.clusters.deploy, { body: { id } }, token)
  }
  await settled(ids, ({ info }) => info.state === 'available')
  await pause(SETTLE_MS)
  print({
    measure: `CPU of the server for ${CLUSTERS} idle local clusters, made by the API`,
    value: (await minute()).toFixed(1),
    unit: 's of a minute',
    beside: `with This machine only: ${alone.toFixed(1)} s`,
  })
  const job = await product.call(
    api.jobs.create,
    { body: { name: 'sleeper', data: { script: '#!/bin/bash\nsleep 900\n', walltime: '00:20:00' } } },
    token,
  )
  for (const id of ids) await product.call(api.jobs.submit, { body: { id: job.id, cluster: id } }, token)
  await settled(ids, ({ queue }) => queue.running === 1)
  await pause(SETTLE_MS / 4)
  print({
    measure: `the same with a running job on each`,
    value: (await minute()).toFixed(1),
    unit: 's of a minute',
  })
}

/** @param {string[]} ids @param {(cluster: any) => boolean} isSo */
async function settled(ids, isSo) {
  for (let tries = 0; tries < 300; tries++) {
    const all = await product.call(api.clusters.list, { query: { limit: 200 } }, token)
    if (all.filter((one) => ids.includes(one.id) && isSo(one)).length === ids.length) return
    await pause(1000)
  }
  throw new Error('The clusters did not reach the state within five minutes')
}
