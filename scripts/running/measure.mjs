// @ts-check
// Runs the files of bench/ that end in .bench.mjs or .soak.mjs, one after another on an otherwise idle machine, and
// appends the measurements to bench/RESULTS.md. Each file prints its rows as lines of JSON; other lines are only shown.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureBuilt } from '../build.mjs'
import { fail, keep, root, run, say } from './child.mjs'
import { ensureParts } from '../parts/parts.mjs'
import { setup } from './setup.mjs'

/**
 * @typedef {{ measure: string, value: number | string, unit?: string, beside?: string, ratio?: number,
 *   goal?: string, ok?: boolean }} Row
 */

const resultsFile = join(root, 'bench/RESULTS.md')

/** @param {string} line @returns {Row | undefined} */
function rowOf(line) {
  if (!line.startsWith('{')) return undefined
  try {
    const row = JSON.parse(line)
    return typeof row.measure === 'string' && 'value' in row ? row : undefined
  } catch {
    return undefined // another line that happens to begin with a brace
  }
}

/**
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ rows: Row[], code: number }>}
 */
function measureFile(file, env) {
  return new Promise((resolve, reject) => {
    const child = keep(
      spawn(process.execPath, [file], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] }),
    )
    /** @type {Row[]} */
    const rows = []
    const lines = createInterface({ input: child.stdout }).on('line', (line) => {
      const row = rowOf(line)
      if (row) rows.push(row)
      say(row ? `  ${cells(row).filter(Boolean).join(' | ')}` : `  ${line}`)
    })
    child.once('error', reject)
    lines.once('close', () => {
      const done = (/** @type {number | null} */ code) => resolve({ rows, code: code ?? 1 })
      if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
      else child.once('exit', done)
    })
  })
}

/** @param {Row} row */
function cells({ measure, value, unit = '', beside = '', ratio, goal = '', ok }) {
  const verdict = ok === undefined ? '' : ok ? 'yes' : 'NO'
  return [measure, `${value} ${unit}`.trim(), beside, ratio === undefined ? '' : String(ratio), goal, verdict]
}

/** @param {string} title @param {Row[]} rows */
function tableOf(title, rows) {
  const line = (/** @type {string[]} */ list) =>
    `| ${list.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const head = ['measure', 'value', 'beside', 'ratio', 'goal', 'met']
  return (
    [`\n## ${title}\n`, line(head), line(head.map(() => '---')), ...rows.map((row) => line(cells(row)))].join(
      '\n',
    ) + '\n'
  )
}

async function machine() {
  const { output, code } = await run('git', ['rev-parse', '--short', 'HEAD'])
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const here = `Node ${process.versions.node}, ${availableParallelism()} cores ${process.arch}, ${memory}`
  return code === 0 ? `${output.trim()}, ${here}` : here
}

/**
 * @param {'bench' | 'soak'} kind
 * @param {string[]} only parts of file names; none means all
 */
export async function measureAll(kind, only) {
  try {
    await setup()
    await ensureBuilt()
    const { env, leftOut } = await ensureParts(() => true, { build: kind === 'soak' })
    for (const { part, why } of leftOut) say(`Skipping what needs ${part.name}: ${why}`)
    const files = readdirSync(join(root, 'bench'))
      .filter((name) => name.endsWith(`.${kind}.mjs`))
      .filter((name) => only.length === 0 || only.some((part) => name.includes(part)))
    if (files.length === 0)
      throw new Error(`No bench/*.${kind}.mjs${only.length > 0 ? ` named ${only.join(', ')}` : ''} found.`)
    /** @type {Row[]} */
    const rows = []
    let broken = 0
    for (const file of files) {
      say(`\n== ${file}`)
      const done = await measureFile(join(root, 'bench', file), { ...process.env, ...env })
      rows.push(...done.rows)
      if (done.code === 0) continue
      broken++
      rows.push({ measure: file, value: `exited with code ${done.code}`, ok: false })
    }
    const date = new Date().toISOString().slice(0, 16).replace('T', ' ')
    if (!existsSync(resultsFile)) appendFileSync(resultsFile, '# Measured\n')
    appendFileSync(resultsFile, tableOf(`${kind}, ${date} UTC, ${await machine()}`, rows))
    const missed = rows.filter((row) => row.ok === false).length
    say(`\n${rows.length} rows added to bench/RESULTS.md, ${missed} goals missed`)
    process.exitCode = missed > 0 || broken > 0 ? 1 : 0
  } catch (error) {
    fail(error)
  }
}
