// @ts-check
// npm test: everything, on real parts. `npm test -- server users` runs one step and hands the rest on to it.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { check } from './check.mjs'
import { fail, root, run, runTool, say } from './child.mjs'
import { ensureParts, isInstallable } from './parts.mjs'
import { setup } from './setup.mjs'

/**
 * @typedef {{ passed: number, failed: number }} Count  a test that was skipped or did not get its turn has failed
 * @typedef {{ env: NodeJS.ProcessEnv, args: string[], report: string }} Situation
 * @typedef {Count & { name: string, seconds: number }} Row
 */

const results = join(root, 'test-results')

/** In this order. @type {{ name: string, work: (now: Situation) => Promise<Count> }[]} */
const steps = [
  { name: 'check', work: checks },
  { name: 'build', work: build },
  { name: 'scripts', work: nodeTests },
  { name: 'contract', work: (now) => vitest('packages/contract', now) },
  { name: 'server', work: (now) => vitest('apps/server', now) },
  { name: 'web', work: (now) => vitest('apps/web', now) },
  { name: 'e2e', work: playwright },
]

/** @returns {Promise<Count>} */
async function checks() {
  const done = await check()
  const passed = done.filter((one) => one.ok).length
  return { passed, failed: done.length - passed }
}

/** @returns {Promise<Count>} */
async function build() {
  await ensureBuilt()
  return { passed: 1, failed: 0 }
}

/** @param {Situation} now @returns {Promise<Count>} */
async function nodeTests({ env, args, report }) {
  const folder = join(root, 'scripts')
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'))
  const toPeople = ['--test-reporter=spec', '--test-reporter-destination=stdout']
  const toUs = ['--test-reporter=tap', `--test-reporter-destination=${report}`]
  await run(process.execPath, ['--test', ...toPeople, ...toUs, ...args, ...files], {
    cwd: folder,
    env,
    show: true,
  })
  const tap = readFileSync(report, 'utf8')
  /** @param {string} word */
  const count = (word) => Number(tap.match(new RegExp(`^# ${word} (\\d+)$`, 'm'))?.[1] ?? 0)
  const failed = ['fail', 'cancelled', 'skipped', 'todo'].map(count).reduce((sum, one) => sum + one)
  return { passed: count('pass'), failed }
}

/** @param {string} folder @param {Situation} now @returns {Promise<Count>} */
async function vitest(folder, { env, args, report }) {
  const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args]
  const { code } = await runTool('vitest', options, { cwd: join(root, folder), env, show: true })
  const told = JSON.parse(readFileSync(report, 'utf8'))
  const failed = told.numFailedTests + told.numPendingTests + told.numTodoTests
  // A file that could not even be loaded, or an error outside any test, fails without a failed test.
  return { passed: told.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed }
}

/** @param {Situation} now @returns {Promise<Count>} */
async function playwright({ env, args, report }) {
  const { code } = await runTool('playwright', ['test', '-c', 'e2e/playwright.config.ts', ...args], {
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    show: true,
  })
  const { expected, unexpected, flaky, skipped } = JSON.parse(readFileSync(report, 'utf8')).stats
  if (flaky > 0) say(`  ${flaky} passed only when tried again`)
  const failed = unexpected + skipped
  return { passed: expected + flaky, failed: failed === 0 && code !== 0 ? 1 : failed }
}

/**
 * A step that cannot even be carried out counts as one failure, and so does one that finds nothing to test.
 * @param {typeof steps[number]} step
 * @param {Omit<Situation, 'report'>} now
 * @returns {Promise<Row>}
 */
async function perform({ name, work }, now) {
  say(`\n== ${name}`)
  const begun = Date.now()
  const report = join(results, `${name}.report`)
  /** @type {Count} */
  let count = { passed: 0, failed: 1 }
  try {
    rmSync(report, { force: true })
    count = await work({ ...now, report })
    if (count.passed + count.failed === 0) {
      say(`No test ran in ${name}.`)
      count.failed = 1
    }
  } catch (error) {
    const unreadable =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync(report)
    say(
      unreadable ? `${name} ended without a report.` : error instanceof Error ? error.message : String(error),
    )
  }
  return { ...count, name, seconds: (Date.now() - begun) / 1000 }
}

/** @param {(string | number)[]} cells */
function tableLine([name = '', ...numbers]) {
  return `  ${String(name).padEnd(12)}${numbers.map((cell) => String(cell).padStart(9)).join('')}`
}

/** @param {string | undefined} only @param {string[]} args */
async function main(only, args) {
  await setup()
  const chosen = only ? steps.filter((step) => step.name === only) : steps
  if (chosen.length === 0)
    throw new Error(`There is no step ${only}; there are ${steps.map((step) => step.name).join(', ')}.`)
  const isChosen = (/** @type {string} */ name) => chosen.some((step) => step.name === name)
  mkdirSync(results, { recursive: true })

  const testing = ['server', 'e2e'].some(isChosen)
  const { leftOut, env } = await ensureParts((part) => testing && (!part.steps || part.steps.some(isChosen)))
  const situation = { env: { ...process.env, ...env }, args }
  if (only === 'e2e') await ensureBuilt()

  /** @type {Row[]} */
  const rows = []
  for (const step of chosen) {
    if (leftOut.some(({ part }) => part.steps?.includes(step.name))) continue
    rows.push(await perform(step, situation))
  }

  say('\n' + tableLine(['step', 'passed', 'failed', 'seconds']))
  for (const row of rows) say(tableLine([row.name, row.passed, row.failed, row.seconds.toFixed(1)]))
  const total = (/** @type {keyof Count} */ key) => rows.reduce((sum, row) => sum + row[key], 0)
  // Where nothing stood in the way of installing a part, a missing one is a failure of the run.
  const strict = process.env.CI === 'true' && process.getuid?.() === 0
  const failures = strict ? leftOut.filter(({ part }) => isInstallable(part)) : []
  for (const one of leftOut) {
    const word = failures.includes(one) ? 'Failed' : 'Left out'
    say(`\n${word}: tests that need ${one.part.name} (${one.why})`)
  }
  const failed = total('failed') + failures.length
  say(`\n${total('passed')} passed, ${failed} failed`)
  process.exitCode = failed > 0 || total('passed') === 0 ? 1 : 0
}

try {
  // Node takes a file of this name for a test of its own; `node --test scripts` must not start all of this.
  if (process.env.NODE_TEST_CONTEXT) throw new Error('This is the runner of the tests, not one of them.')
  const [only, ...args] = process.argv.slice(2)
  await main(only, args)
} catch (error) {
  fail(error)
}
