// @ts-check
// The loops of the tests at full count, and the tests that take minutes. `SUITE=kill npm run soak` runs those with the
// word in their file's name.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { print } from './server.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(join(root, 'package.json'))
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs')
const KILLS = process.env.FLOTILLA_KILLS ?? '20'

const CLOUD_KILLS = process.env.FLOTILLA_CLOUD_KILLS ?? '50'

/** @type {{ file: string, what: string, env?: Record<string, string> }[]} */
const suites = [
  {
    file: 'cloud-kill.test.ts',
    what: `kill -9 of server or engine ${CLOUD_KILLS} times while clusters are deployed, changed and destroyed: none stuck, nothing left in the simulated clouds`,
    env: { FLOTILLA_KILLS: CLOUD_KILLS },
  },
  {
    file: 'cloud-faults.test.ts',
    what: 'every fault of the simulated cloud on every provider: a cause, a way out, nothing left',
    env: { FLOTILLA_PROVIDERS: 'all' },
  },
  {
    file: 'cloud-kept.test.ts',
    what: 'a destroy that keeps a disk and fails half-way, on every provider: what follows works, only the disk is left',
    env: { FLOTILLA_PROVIDERS: 'all' },
  },
  {
    file: 'test/simulated-cloud/',
    what: 'every fault of the simulated cloud on every provider, by the engine alone; what each cloud is like',
    env: { FLOTILLA_SOAK: '1' },
  },
  {
    file: 'src/burst/elastic.soak.slurm.root.test.ts',
    what: "elastic nodes by Slurm's own power saving: they come for a job, run it, and go after the idle time",
    env: { FLOTILLA_SOAK: '1' },
  },
  {
    file: 'src/schedulers/slurm-patience.soak.slurm.test.ts',
    what: 'Slurm: a job whose wall time is over, a node that dies under a job',
    env: { FLOTILLA_SOAK: '1' },
  },
  {
    file: 'src/providers/image/images.packer.test.ts',
    what: 'Packer takes the template of each provider with each field set',
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
    file: 'src/db/embedded.test.ts',
    what: `kill -9 of the owner of the embedded database ${KILLS} times: no acknowledged row lost`,
  },
]

/** @param {string} file @param {string} report @param {Record<string, string>} env @returns {Promise<void>} */
function runSuite(file, report, env) {
  return new Promise((resolve, reject) => {
    const args = [
      vitest,
      'run',
      '--root',
      join(root, 'apps/server'),
      '--reporter=json',
      `--outputFile=${report}`,
      file,
    ]
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, FLOTILLA_KILLS: KILLS, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.once('error', reject)
    child.once('close', () => resolve())
  })
}

const folder = mkdtempSync(join(tmpdir(), 'flotilla-soak-'))
try {
  const chosen = suites.filter(({ file }) => file.includes(process.env.SUITE ?? ''))
  for (const [index, { file, what, env = {} }] of chosen.entries()) {
    const report = join(folder, `${index}.json`)
    const begun = performance.now()
    await runSuite(file, report, env)
    const seconds = Math.round((performance.now() - begun) / 1000)
    const told = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null
    const failed = (told?.testResults ?? [])
      .flatMap((/** @type {any} */ one) => one.assertionResults)
      .filter((/** @type {any} */ one) => one.status !== 'passed')
      .map((/** @type {any} */ one) => one.fullName)
    const ok = told !== null && told.success && told.numPassedTests > 0 && failed.length === 0
    print({
      measure: what,
      value: told === null ? 'no report' : `${told.numPassedTests} of ${told.numTotalTests} tests passed`,
      beside: failed.length > 0 ? `failed: ${failed.join('; ')}` : `${seconds} s, ${file}`,
      goal: 'all',
      ok,
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
