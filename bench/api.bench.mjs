// @ts-check
// The overhead of the product's own layers: a cheap list with login, permissions, rate limits and logs, compared with
// the bare query.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startNode, startProduct } from './support/server.mjs'

const ROUNDS = 5
const SECONDS = 3
const WARM_UP = 2
const SESSIONS = 10
const GOAL = 0.6

/** @param {{ port: number }} server @param {string} path @param {string} [token] @returns {Promise<number>} */
async function perSecond({ port }, path, token = '') {
  const args = [join(root, 'bench/support/load.mjs'), String(port), path, String(SECONDS), token]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { perSecond: rate, refusals } = JSON.parse(stdout)
  if (refusals > 0) throw new Error(`${path} was rejected ${refusals} times`)
  return rate
}

const product = await startProduct()
try {
  let session = { token: '', user: { id: '' } }
  for (let count = 0; count < SESSIONS; count++)
    session = await product.call(api.auth.login, { body: product.admin })
  const bare = await startNode(
    [join(root, 'bench/support/bare-fastify.mjs')],
    { DATABASE_URL: product.databaseUrl(), USER_ID: session.user.id },
    '/sessions',
  )
  try {
    // Code is slow until it has run often, and the product has more of it.
    for (let round = 0; round < WARM_UP; round++) {
      await perSecond(bare, '/sessions')
      await perSecond(product, api.auth.sessions.path, session.token)
    }
    const rounds = []
    // The two alternate, so that other load on the machine affects both.
    for (let round = 0; round < ROUNDS; round++) {
      const theirs = await perSecond(bare, '/sessions')
      const ours = await perSecond(product, api.auth.sessions.path, session.token)
      rounds.push({ ours, theirs, ratio: ours / theirs })
    }
    const ratio = median(rounds.map((round) => round.ratio))
    print({
      measure: `GET /api/auth/sessions, ${SESSIONS} rows, 16 connections (median of ${ROUNDS})`,
      value: Math.round(median(rounds.map(({ ours }) => ours))),
      unit: 'requests/s',
      beside: `bare Fastify, same query: ${Math.round(median(rounds.map(({ theirs }) => theirs)))} requests/s`,
      ratio: Number(ratio.toFixed(2)),
      goal: `ratio >= ${GOAL}`,
      ok: ratio >= GOAL,
    })
  } finally {
    await bare.stop()
  }
} finally {
  await product.stop()
}
