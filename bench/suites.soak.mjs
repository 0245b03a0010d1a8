// @ts-check
// The looping tests at full count, and the tests that take minutes. `SUITE=kill npm run soak` runs those whose file
// name contains the word.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../scripts/running/child.mjs'
import { readPlaywright, readVitest } from '../scripts/running/reports.mjs'
import { print } from './support/server.mjs'

const require = createRequire(join(root, 'package.json'))
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs')
const KILLS = process.env.FLOTILLA_KILLS ?? '20'

const CLOUD_KILLS = process.env.FLOTILLA_CLOUD_KILLS ?? '50'

/** The server's test files that do more in the soak, recognized by an import. */
function filesWithVariants() {
  const folder = join(root, 'apps/server')
  return readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (file) =>
      /^(src|test)\/.*\.test\.ts$/.test(file) &&
      readFileSync(join(folder, file), 'utf8').includes("support/soak'"),
  )
}

/**
 * `needs` is a part of scripts/parts/parts.mjs that the suite requires; `files` replace `file`, if set.
 * @type {{ file: string, files?: string[], what: string, env?: Record<string, string>, needs?: string, without?: string }[]}
 */
const suites = [
  {
    file: 'cloud-kill.test.ts',
    what: `kill -9 of server or engine ${CLOUD_KILLS} times while clusters are deployed, changed and destroyed: none stuck, nothing left in the simulated clouds`,
    env: { FLOTILLA_KILLS: CLOUD_KILLS },
  },
  {
    file: 'cloud-faults.test.ts',
    what: 'every fault of the simulated cloud on every provider: a cause, a way out, nothing left',
    env: { FLOTILLA_PROVIDERS: 'all', FLOTILLA_SOAK: '1' },
  },
  {
    file: 'cloud-destroy.soak.test.ts',
    what: 'a cluster with a mounted disk on every provider: renamed, then destroyed to nothing by one click',
    env: { FLOTILLA_PROVIDERS: 'all', FLOTILLA_SOAK: '1' },
  },
  {
    file: '.soak.',
    what: 'what takes minutes: the demo, kept disks, faults by the engine alone, elastic nodes, patience of Slurm, reboots',
    env: { FLOTILLA_SOAK: '1' },
    without: '**/*.aws-provider.*',
  },
  {
    file: '.aws-provider.',
    what: 'the AWS module by real OpenTofu and the real provider against moto: applied, planned again without changes, changed in every way, destroyed to nothing',
    env: { FLOTILLA_SOAK: '1' },
    needs: 'aws-provider',
  },
  {
    file: '.soak.spec.ts',
    what: 'in the browser: the form of every cloud, every failure of a cloud',
    env: { FLOTILLA_SOAK: '1' },
  },
  {
    file: '@soak',
    what: 'in the browser: the variants of the journeys that `npm test` takes',
    env: { FLOTILLA_SOAK: '1' },
  },
  {
    file: 'variants',
    files: filesWithVariants(),
    what: 'what `npm test` leaves out of its files: every call, field, provider and resource manager, with root and without, rare cases',
    env: { FLOTILLA_SOAK: '1' },
  },
  {
    file: 'jobs-kill.test.ts',
    what: `kill -9 of the server ${KILLS} times with jobs running: none lost, none run twice, no byte missing`,
  },
  {
    file: 'test/kill.test.ts',
    what: `kill -9 of the server ${KILLS} times while accounts are made: none lost`,
  },
  {
    file: 'src/db/embedded/embedded.test.ts',
    what: `kill -9 of the owner of the embedded database ${KILLS} times: no acknowledged row lost`,
  },
]

const browser = [
  join(dirname(require.resolve('@playwright/test/package.json')), 'cli.js'),
  'test',
  '-c',
  'e2e/playwright.config.ts',
]
const server = [vitest, 'run', '--root', 'apps/server', '--reporter=json']

/** @param {string} file */
const isInBrowser = (file) => file.endsWith('.spec.ts') || file.startsWith('@')

/** @param {typeof suites[number]} suite @param {string} report @returns {Promise<void>} */
function runSuite({ file, files = [file], env = {}, without }, report) {
  const inBrowser = isInBrowser(file)
  return new Promise((resolve, reject) => {
    const args = inBrowser
      ? [...browser, ...(file.startsWith('@') ? ['--grep', file] : [file])]
      : [...server, `--outputFile=${report}`, ...files, ...(without ? ['--exclude', without] : [])]
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, FLOTILLA_KILLS: KILLS, PLAYWRIGHT_JSON_OUTPUT_FILE: report, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.once('error', reject)
    child.once('close', () => resolve())
  })
}

const folder = mkdtempSync(join(tmpdir(), 'flotilla-soak-'))
try {
  const chosen = suites.filter(({ file }) => file.includes(process.env.SUITE ?? ''))
  const parts = process.env.FLOTILLA_PARTS?.split(',')
  for (const [index, suite] of chosen.entries()) {
    if (suite.needs && parts && !parts.includes(suite.needs)) {
      print({ measure: suite.what, value: `left out: ${suite.needs} is not there` })
      continue
    }
    const report = join(folder, `${index}.json`)
    const begun = performance.now()
    await runSuite(suite, report)
    const seconds = Math.round((performance.now() - begun) / 1000)
    const read = isInBrowser(suite.file) ? readPlaywright : readVitest
    const { passed, failed } = existsSync(report) ? read(report) : { passed: 0, failed: ['no report'] }
    print({
      measure: suite.what,
      value: `${passed} of ${passed + failed.length} tests passed`,
      beside: failed.length > 0 ? `failed: ${failed.join('; ')}` : `${seconds} s, ${suite.file}`,
      goal: 'all',
      ok: passed > 0 && failed.length === 0,
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
