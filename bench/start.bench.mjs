// @ts-check
// What a new user has to wait for: the start of a fresh clone until its first reply, the second start, and the disk
// space.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, lstatSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../scripts/running/child.mjs'
import { api, freePort, print } from './support/server.mjs'

const timeoutMs = 600_000

/**
 * Runs `npm start` in a folder until the first reply of a call that needs the database but no login, and then stops it.
 * @param {string} folder
 * @param {string} dataDir
 * @returns {Promise<number>} seconds
 */
async function startOnce(folder, dataDir) {
  const port = await freePort()
  const begun = performance.now()
  // A process group of its own, so that npm, its shell and the server can be stopped together.
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (log += text))
  const gone = new Promise((resolve) => child.once('close', resolve))
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}${api.license.view.path}`).catch(() => undefined)
      if (answer?.ok) return (performance.now() - begun) / 1000
      if (child.exitCode !== null) throw new Error(`npm start ended with code ${child.exitCode}:\n${log}`)
      if (performance.now() - begun > timeoutMs) throw new Error(`npm start did not respond:\n${log}`)
      await pause(5)
    }
  } finally {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGTERM')
    await gone
  }
}

/** The disk space that the files use. @param {string} path @returns {number} */
function bytesOf(path) {
  const { blocks } = lstatSync(path)
  const inside = lstatSync(path).isDirectory()
    ? readdirSync(path).map((name) => bytesOf(join(path, name)))
    : []
  return blocks * 512 + inside.reduce((sum, one) => sum + one, 0)
}

const folder = mkdtempSync(join(tmpdir(), 'flotilla-start-'))
try {
  const clone = join(folder, 'clone')
  const data = join(folder, 'data')
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone])

  const fresh = await startOnce(clone, data)
  print({
    measure: 'npm start on a fresh clone, to the first answer',
    value: fresh.toFixed(1),
    unit: 's',
    goal: '< 120 s',
    ok: fresh < 120,
  })

  const warm = []
  for (let round = 0; round < 5; round++) warm.push(await startOnce(clone, data))
  const median = warm.toSorted((a, b) => a - b)[2] ?? 0
  print({
    measure: 'npm start again, to the first answer (median of 5)',
    value: median.toFixed(2),
    unit: 's',
  })

  const weight = Math.round(bytesOf(join(clone, 'node_modules')) / 2 ** 20)
  print({ measure: 'node_modules', value: weight, unit: 'MB' })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
