// @ts-check
// HTTP servers as child processes: the built product as an operator runs it, and the programs that it is compared with.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../../scripts/running/child.mjs'
import { loadClient } from './typescript.mjs'

const timeoutMs = 60_000
const { connect, api } = await loadClient()
export { api }
const admin = { username: 'admin', password: 'Correct-Horse-7!' }

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Starts a program and waits until a path responds.
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {string} path
 */
export async function startNode(args, env, path) {
  const port = await freePort()
  // Its output is discarded, which costs as little as writing to a log file.
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
  const gone = new Promise((resolve) => child.once('close', resolve))
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await gone
  }
  const url = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + timeoutMs; ; await pause(50)) {
    const answer = await fetch(url + path).catch(() => undefined)
    if (answer?.ok) return { url, port, pid: child.pid, stop }
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`${args.join(' ')} did not respond:\n${output}`)
    }
  }
}

/**
 * Starts the product with an empty database of its own. A module given as `also` is loaded into the same process first.
 * @param {{ env?: Record<string, string>, also?: string }} [options]
 */
export async function startProduct({ env = {}, also } = {}) {
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'flotilla-bench-'))
  const program = join(root, 'apps/server/dist/main.js')
  const server = await startNode(
    also ? ['--import', also, program] : [program],
    // All requests come from one address.
    { DATA_DIR: dataDir, ADMIN_PASSWORD: admin.password, RATE_LIMIT: '1000000', ...env },
    api.health.view.path,
  )
  const client = connect(server.url)
  return {
    ...server,
    stop: async () => {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
    /** The embedded database that the product has started. */
    databaseUrl() {
      const password = readFileSync(join(dataDir, 'pg-password'), 'utf8').trim()
      const port = readFileSync(join(dataDir, 'pg18/postmaster.pid'), 'utf8').split('\n')[3]
      return `postgres://flotilla:${password}@127.0.0.1:${port}/flotilla`
    },
    /**
     * @template {import('@flotilla/contract/endpoint').Endpoint} E
     * @param {E} endpoint
     * @param {import('@flotilla/contract/endpoint').Sent<E>} input
     * @param {string} [token]
     */
    call: (endpoint, input, token) => client.call(endpoint, input, { token }),
    /** A client with this address, if the product trusts this machine as a proxy. @param {string} address */
    from: (address) => connect(server.url, { 'x-forwarded-for': address }),
    admin,
  }
}

/** A row for bench/RESULTS.md. @param {object} row */
export const print = (row) => process.stdout.write(JSON.stringify(row) + '\n')

/** @param {number[]} values */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
