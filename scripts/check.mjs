// @ts-check
// npm run check: all static checks of the code.
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkImports } from './rules/imports.mjs'
import { fail, root, runTool, say } from './running/child.mjs'
import { checkPaths } from './rules/paths.mjs'
import { setup } from './running/setup.mjs'

const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)

/** The compiler and the linter are Go programs, which would spend a third of their time on garbage collection. */
const env = { ...process.env, GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '3GiB' }

/** @typedef {{ name: string, ok: boolean, output: string, seconds: number }} Result */

/**
 * Longest first. Each check gets one core: a program's threads repeat half of each other's work, and the other checks
 * keep the other cores busy.
 * @type {{ name: string, work: () => Promise<{ code: number, output: string, seconds: number }> }[]}
 */
const checks = [
  { name: 'lint', work: () => runTool('oxlint', [], { env }) },
  ...['apps/server', 'apps/web'].map(types),
  { name: 'dead code', work: () => runTool('knip', ['--no-progress']) },
  ...['e2e', 'scripts', ...packages].map(types),
  { name: 'format', work: () => runTool('oxfmt', ['--check', '.']) },
  { name: 'imports', work: () => breaches(checkImports) },
  { name: 'paths', work: () => breaches(checkPaths) },
]

/** @param {string} folder */
function types(folder) {
  return {
    name: `types ${folder}`,
    work: () => runTool('tsc', ['-p', folder, '--pretty', 'false', '--singleThreaded'], { env }),
  }
}

/** @param {(base: string) => string[]} find */
async function breaches(find) {
  const begun = Date.now()
  const found = find(root)
  return { code: found.length, output: found.join('\n'), seconds: (Date.now() - begun) / 1000 }
}

/**
 * Runs all checks, as many at a time as there are cores, and reports each as it finishes, with the output of failed
 * ones.
 * @returns {Promise<Result[]>}
 */
export async function check() {
  /** @type {Result[]} */
  const results = []
  const waiting = [...checks]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { code, output, seconds } = await next.work()
      const ok = code === 0
      results.push({ name: next.name, ok, output, seconds })
      say(`  ${ok ? 'ok    ' : 'FAILED'}  ${next.name.padEnd(26)} ${seconds.toFixed(1)} s`)
      if (!ok) say(output.trim().replace(/^/gm, '    '))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return results
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await setup()
    const failed = (await check()).filter((result) => !result.ok)
    if (failed.length > 0) fail(`Failed: ${failed.map((result) => result.name).join(', ')}`)
    say('All checks passed.')
  } catch (error) {
    fail(error)
  }
}
