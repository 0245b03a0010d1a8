// @ts-check
// The overhead of the runner: plan and apply through it, compared with running the same engine commands directly.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../scripts/running/child.mjs'
import { median, print } from './support/server.mjs'
import { loadEngines } from './support/typescript.mjs'

const ROUNDS = 9
const MOST = 1.05
const NODES = 20

const { createTofu, findTofu, simulatedProgram, engineEnvironment } = await loadEngines()
const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-engine-'))
const program = await findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env }).catch(() =>
  simulatedProgram({
    file: join(root, 'apps/server/dist/cli/simulated-cloud.js'),
    dir: join(folder, 'world'),
    env: { ...process.env, SIMULATED_CLOUD_PACE: '0' },
  }),
)
const name = program.simulated ? 'the simulated cloud' : `OpenTofu ${program.version}`

const passphrase = 'the passphrase of a bench'
const files = {
  module: {
    variable: { nodes: { type: 'map(string)' } },
    resource: {
      terraform_data: { head: { input: 'head' }, node: { for_each: '${var.nodes}', input: '${each.value}' } },
    },
  },
  variables: {
    nodes: Object.fromEntries(Array.from({ length: NODES }, (_, at) => [`node${at}`, `size ${at}`])),
  },
  secretVariables: {},
}
const tofu = createTofu({ program: async () => program, pluginCache: join(folder, 'plugins'), atOnce: 1 })
const open = async (/** @type {string} */ at) => {
  const workspace = tofu.workspace({ folder: join(folder, at), environment: {}, passphrase })
  await workspace.write(files)
  await workspace.init({})
  await workspace.plan({}, {})
  await workspace.apply({})
  return workspace
}

/** Runs a command directly and reads its output. @param {string} at @param {string[]} args */
const byHand = (at, args) =>
  new Promise((resolve, reject) => {
    const [command = '', ...first] = program.command
    const options = { folder: at, program, pluginCache: join(folder, 'plugins'), credentials: {}, passphrase }
    const child = spawn(command, [...first, ...args], {
      cwd: at,
      env: engineEnvironment(options),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.stdout.resume()
    child.once('error', reject)
    child.once('close', (code) =>
      code === 1 ? reject(new Error(`${args.join(' ')} failed`)) : resolve(code),
    )
  })

/** @param {() => Promise<unknown>} work */
const timed = async (work) => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

try {
  const [ours, theirs] = [await open('runner'), await open('by-hand')]
  const replaced = 'terraform_data.head'
  const common = ['-json', '-input=false']
  /** @type {Record<'plan' | 'apply', { runner: number[], hand: number[] }>} */
  const times = { plan: { runner: [], hand: [] }, apply: { runner: [], hand: [] } }
  const plan = ['plan', ...common, '-detailed-exitcode', '-out=by-hand.plan', `-replace=${replaced}`]
  const throughRunner = async () => {
    times.plan.runner.push(await timed(() => ours.plan({ replace: [replaced] }, {})))
    times.apply.runner.push(await timed(() => ours.apply({})))
  }
  const withoutIt = async () => {
    times.plan.hand.push(await timed(() => byHand(theirs.folder, plan)))
    times.apply.hand.push(await timed(() => byHand(theirs.folder, ['apply', ...common, 'by-hand.plan'])))
  }
  for (let round = 0; round < ROUNDS; round++) {
    // The two alternate, so that neither is always the first.
    for (const work of round % 2 === 0 ? [throughRunner, withoutIt] : [withoutIt, throughRunner]) await work()
  }
  for (const [what, { runner, hand }] of Object.entries(times)) {
    const ratio = median(runner) / median(hand)
    print({
      measure: `${what} through the runner, beside ${name} by hand (${NODES + 1} things, ${cpus().length} cores)`,
      value: Math.round(median(runner)),
      unit: 'ms',
      beside: `${Math.round(median(hand))} ms`,
      ratio: Number(ratio.toFixed(3)),
      goal: '< 5 % more',
      ok: ratio < MOST,
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
