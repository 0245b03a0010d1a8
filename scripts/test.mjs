// @ts-check
// npm test: all tests, with real programs. `npm test -- server users` runs one step with further arguments.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { check } from './check.mjs'
import { fail, messageOf, root, run, runTool, say } from './running/child.mjs'
import { ensureParts, isInstallable } from './parts/parts.mjs'
import { clear, openRunFolder } from './running/run-folder.mjs'
import { readPlaywright, readTap, readVitest } from './running/reports.mjs'
import { ensureInstalled, ensureNode } from './running/setup.mjs'

/**
 * @typedef {object} Count
 * @property {number} passed
 * @property {string[]} failed  by name
 * @typedef {{ env: NodeJS.ProcessEnv, args: string[], report: string, show: import('./running/child.mjs').Show }} Situation
 * @typedef {Count & { name: string, seconds: number }} Row
 */

const results = join(root, 'test-results')

/** @typedef {{ name: string, work: (now: Situation) => Promise<Count>, beside?: string }} Step */

const cores = availableParallelism()

/**
 * Steps that need no real programs. The rows run in parallel, because the tests of a small package use at most one
 * core.
 * @type {Step[][]}
 */
const quick = [
  [{ name: 'check', work: checks }],
  [
    { name: 'build', work: build },
    { name: 'scripts', work: nodeTests },
    { name: 'contract', work: (now) => vitest('packages/contract', now) },
    { name: 'client', work: (now) => vitest('packages/client', now) },
    { name: 'simulated', work: (now) => vitest('packages/simulated-cloud', now) },
    { name: 'web', work: (now) => vitest('apps/web', now) },
  ],
]

/**
 * Steps that need real programs. They also run in parallel, each with the option `beside`, because each of them spends
 * a fifth of its time waiting for other processes.
 * @type {Step[][]}
 */
const onParts = [
  [{ name: 'server', work: (now) => vitest('apps/server', now), beside: `--maxWorkers=${cores + 2}` }],
  [{ name: 'e2e', work: playwright, beside: `--workers=${cores}` }],
]

/** @returns {Promise<Count>} */
async function checks() {
  const done = await check()
  const failed = done.filter((one) => !one.ok).map((one) => one.name)
  return { passed: done.length - failed.length, failed }
}

/** @returns {Promise<Count>} */
async function build() {
  await ensureBuilt()
  return { passed: 1, failed: [] }
}

/** @param {Situation} now @returns {Promise<Count>} */
async function nodeTests({ env, args, report, show }) {
  const folder = join(root, 'scripts')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.mjs'),
  )
  const toPeople = ['--test-reporter=spec', '--test-reporter-destination=stdout']
  const toUs = ['--test-reporter=tap', `--test-reporter-destination=${report}`]
  await run(process.execPath, ['--test', ...toPeople, ...toUs, ...args, ...files], {
    cwd: folder,
    env,
    show,
  })
  return readTap(report)
}

/** @param {string} folder @param {Situation} now @returns {Promise<Count>} */
async function vitest(folder, { env, args, report, show }) {
  const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args]
  const { code } = await runTool('vitest', options, { cwd: join(root, folder), env, show })
  const { passed, failed } = readVitest(report)
  // An error outside of all tests and files.
  if (code !== 0 && failed.length === 0) failed.push(`an error outside the tests of ${folder}`)
  return { passed, failed }
}

/** @param {Situation} now @returns {Promise<Count>} */
async function playwright({ env, args, report, show }) {
  const { code } = await runTool('playwright', ['test', '-c', 'e2e/playwright.config.ts', ...args], {
    // Caches the compiled tests for the next run.
    env: {
      ...env,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      PWTEST_CACHE_DIR: join(root, '.cache/playwright'),
    },
    show,
  })
  const { passed, failed } = readPlaywright(report)
  if (code !== 0 && failed.length === 0) failed.push('an error outside the tests of e2e')
  return { passed, failed }
}

/**
 * Runs a step. A step that fails to run counts as one failure, and so does one without tests.
 * @param {Step} step
 * @param {Omit<Situation, 'report'>} now
 * @returns {Promise<Row>}
 */
async function perform({ name, work }, now) {
  say(`\n== ${name}`)
  const begun = Date.now()
  const report = join(results, `${name}.report`)
  /** @type {Count} */
  let count = { passed: 0, failed: [`${name} did not run`] }
  try {
    rmSync(report, { force: true })
    count = await work({ ...now, report })
    if (count.passed + count.failed.length === 0) count.failed = [`${name} ran no tests`]
  } catch (error) {
    const unreadable =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync(report)
    say(unreadable ? `${name} ended without a report.` : messageOf(error))
  }
  return { ...count, name, seconds: (Date.now() - begun) / 1000 }
}

/**
 * Runs the rows in parallel, and the steps of each row one after another.
 * @param {Step[][]} rows
 * @param {Pick<Situation, 'env' | 'args'>} now
 * @returns {Promise<Row[]>}
 */
async function performAll(rows, { env, args }) {
  const alone = rows.filter((steps) => steps.length > 0).length === 1
  const done = rows.map(async (steps) => {
    /** @type {Row[]} */
    const performed = []
    for (const step of steps)
      performed.push(
        await perform(step, {
          env,
          args: !alone && step.beside ? [...args, step.beside] : args,
          show: alone || `${step.name.padEnd(9)} `,
        }),
      )
    return performed
  })
  return (await Promise.all(done)).flat()
}

/** @param {(string | number)[]} cells */
function tableLine([name = '', ...numbers]) {
  return `  ${String(name).padEnd(12)}${numbers.map((cell) => String(cell).padStart(9)).join('')}`
}

/** @param {string | undefined} only @param {string[]} args */
async function main(only, args) {
  ensureNode()
  const steps = [...quick, ...onParts].flat()
  const isChosen = (/** @type {string} */ name) => only === undefined || only === name
  const chosen = (/** @type {Step[][]} */ rows) => rows.map((row) => row.filter(({ name }) => isChosen(name)))
  if (!steps.some(({ name }) => isChosen(name)))
    throw new Error(`Unknown step ${only}. Steps: ${steps.map((step) => step.name).join(', ')}.`)
  mkdirSync(results, { recursive: true })

  const testing = onParts.flat().some(({ name }) => isChosen(name))
  const soaking = process.env.FLOTILLA_SOAK !== undefined
  // In the meantime, the steps that do not need the parts run.
  const installing = ensureParts(
    (part) => testing && (soaking || !part.soak) && (!part.steps || part.steps.some(isChosen)),
  )
  installing.catch(() => {})
  await ensureInstalled()
  const folder = await openRunFolder()
  // If it were set, Node would parse all certificates at every start, although no test connects to another machine.
  const { NODE_EXTRA_CA_CERTS: _, ...own } = process.env
  const env = { ...own, TMPDIR: folder }

  const rows = await performAll(chosen(quick), { env, args })
  if (only === 'e2e') await ensureBuilt()
  const { leftOut, env: ofParts } = await installing
  // Without a build, there is nothing to test.
  const isBuilt = !rows.some(({ name, failed }) => name === 'build' && failed.length > 0)
  const isPossible = (/** @type {Step} */ { name }) =>
    isBuilt && !leftOut.some(({ part }) => part.steps?.includes(name))
  const possible = chosen(onParts).map((row) => row.filter(isPossible))
  rows.push(...(await performAll(possible, { env: { ...env, ...ofParts }, args })))
  await clear(folder)

  say('\n' + tableLine(['step', 'passed', 'failed', 'seconds']))
  for (const row of rows) say(tableLine([row.name, row.passed, row.failed.length, row.seconds.toFixed(1)]))
  // If nothing prevents a part from being installed, a missing one counts as a failure.
  const strict = process.env.CI === 'true' && process.getuid?.() === 0
  for (const { part, why } of leftOut) say(`\nSkipped: tests that need ${part.name} (${why})`)
  const missing = strict ? leftOut.filter(({ part }) => isInstallable(part)) : []
  const failed = [
    ...rows.flatMap((row) => row.failed.map((one) => `${row.name}: ${one}`)),
    ...missing.map(({ part }) => `${part.name} could not be installed`),
  ]
  const passed = rows.reduce((sum, row) => sum + row.passed, 0)
  // Failures are printed last, because the end of a long output is read first.
  if (failed.length > 0) say(`\nFailed:\n${failed.map((one) => `  ${one}`).join('\n')}`)
  say(`\n${passed} passed, ${failed.length} failed`)
  process.exitCode = failed.length > 0 || passed === 0 ? 1 : 0
}

try {
  // Node considers a file of this name a test; `node --test scripts` must not run all tests.
  if (process.env.NODE_TEST_CONTEXT) throw new Error('This is the test runner, not a test.')
  const [only, ...args] = process.argv.slice(2)
  await main(only, args)
} catch (error) {
  fail(error)
}
