// @ts-check
// Reads the test runners' reports: the number of passed tests, and the names of failed ones.
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/**
 * @typedef {object} TestSummary
 * @property {number} passed
 * @property {string[]} failed  by name; tests that were skipped or did not run count as failed
 */

/** @param {string} text  only the first line is shown at the end of a long run */
const firstLine = (text) => text.split('\n', 1)[0] ?? ''

/** @param {string} report @returns {TestSummary} */
export function readTap(report) {
  const lines = readFileSync(report, 'utf8').split('\n')
  /** @param {string} word */
  const count = (word) => Number(lines.find((line) => line.startsWith(`# ${word} `))?.split(' ')[2] ?? 0)
  const failed = lines.flatMap((line) => /^\s*not ok \d+ - (.*)$/.exec(line)?.[1] ?? [])
  const others = ['cancelled', 'skipped', 'todo'].filter((word) => count(word) > 0)
  return {
    passed: count('pass'),
    failed: [...failed, ...others.map((word) => `${count(word)} ${word}`)],
  }
}

/** @param {string} report @returns {TestSummary} */
export function readVitest(report) {
  /** @type {{ testResults: { name: string, status: string, message: string, assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  let passed = 0
  /** @type {string[]} */
  const failed = []
  for (const file of testResults) {
    const wrong = file.assertionResults.filter((test) => test.status !== 'passed')
    passed += file.assertionResults.length - wrong.length
    for (const test of wrong)
      failed.push(`${test.fullName}: ${firstLine(test.failureMessages?.[0] ?? test.status)}`)
    // A file that cannot be loaded fails without a failed test.
    if (wrong.length === 0 && file.status !== 'passed')
      failed.push(`${file.name}: ${firstLine(file.message)}`)
  }
  return { passed, failed }
}

/**
 * The line at which a browser test failed and the reason, without Playwright's call log.
 * @typedef {{ error?: { message?: string, location?: { line: number } } }} Result
 * @param {Result | undefined} result
 */
function reasonOf(result) {
  const { message = '', location } = result?.error ?? {}
  const [what = ''] = stripVTControlCharacters(message).split('Call log:')
  return `line ${location?.line ?? '?'}: ${what.replaceAll(/\s+/g, ' ').trim().slice(0, 300)}`
}

/**
 * @typedef {{ title: string, tests: { status: string, results: Result[] }[] }} Spec
 * @typedef {{ title: string, file: string, specs?: Spec[], suites?: Suite[] }} Suite
 * @param {string} report
 * @returns {TestSummary}
 */
export function readPlaywright(report) {
  const { stats, suites } = JSON.parse(readFileSync(report, 'utf8'))
  /** @param {Suite} suite @param {string} status @returns {string[]} */
  const named = (suite, status) => [
    ...(suite.specs ?? [])
      .filter(({ tests }) => tests.some((test) => test.status === status))
      .map(({ title, tests }) => `${suite.file}: ${title}: ${reasonOf(tests[0]?.results.at(-1))}`),
    ...(suite.suites ?? []).flatMap((inner) => named(inner, status)),
  ]
  /** @param {string} status @returns {string[]} */
  const all = (status) => suites.flatMap((/** @type {Suite} */ suite) => named(suite, status))
  return { passed: stats.expected, failed: [...all('unexpected'), ...all('skipped')] }
}
