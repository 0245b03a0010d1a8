// @ts-check
// Builds the web app and the server, each only if one of its inputs has changed.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, progress, root, runTool } from './running/child.mjs'
import { alone } from './running/lock.mjs'
import { setup } from './running/setup.mjs'

/**
 * @typedef {'server' | 'web'} Target
 * @typedef {{ seen: string, content: string }} Fingerprint
 *   `seen` is a hash of sizes and times (a few milliseconds), `content` of the bytes
 */

const stamps = join(root, '.cache/build.json')
const shared = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'packages']

/** @type {Record<Target, { name: string, folder: string, from: string[], made: string, tool: string, args: string[] }>} */
const targets = {
  server: {
    name: 'the server',
    folder: 'apps/server',
    from: [...shared, 'apps/server'],
    made: 'apps/server/dist/main.js',
    tool: 'rolldown',
    args: ['-c', 'rolldown.config.mjs'],
  },
  web: {
    name: 'the web app',
    folder: 'apps/web',
    from: [...shared, 'apps/web'],
    made: 'apps/web/dist/index.html',
    tool: 'vite',
    args: ['build', '--logLevel', 'warn'],
  },
}

/** @type {Target[]} */
const everyTarget = ['web', 'server']

const leftOut = new Set(['node_modules', 'dist', 'data', 'test'])

/**
 * Every file under the paths except tests, in a fixed order.
 * @param {string[]} paths
 * @returns {string[]}
 */
function filesUnder(paths) {
  return paths.flatMap((path) => {
    if (!existsSync(path)) return []
    if (statSync(path).isFile()) return /\.test\.tsx?$|^vitest\.config\./.test(basename(path)) ? [] : [path]
    const names = readdirSync(path).filter((name) => !leftOut.has(name) && !name.startsWith('.'))
    return filesUnder(names.toSorted().map((name) => join(path, name)))
  })
}

/**
 * The change time is included because no program can set it: a file with the same size and modification time but
 * different content (for example, from an archive) is still detected.
 * @param {string[]} files
 */
function seen(files) {
  const hash = createHash('sha256')
  for (const file of files) {
    const { size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    hash.update(`${file} ${size} ${mtimeNs} ${ctimeNs}\n`)
  }
  return hash.digest('hex')
}

/** @param {string[]} files */
function content(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`\n${file}\n`).update(readFileSync(file))
  return hash.digest('hex')
}

/**
 * Whether the files differ from the fingerprint, and their current fingerprint.
 * @param {string[]} paths
 * @param {Fingerprint | undefined} known
 * @returns {{ changed: boolean, now: Fingerprint }}
 */
export function compare(paths, known) {
  const files = filesUnder(paths)
  const seenNow = seen(files)
  if (known && known.seen === seenNow) return { changed: false, now: known }
  const now = { seen: seenNow, content: content(files) }
  return { changed: known?.content !== now.content, now }
}

/** @returns {Partial<Record<Target, Fingerprint>>} */
function readStamps() {
  try {
    return JSON.parse(readFileSync(stamps, 'utf8'))
  } catch {
    return {} // never built, or the file was truncated by a crash
  }
}

/**
 * @param {Target} target
 * @param {Fingerprint | undefined} value
 */
function writeStamp(target, value) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(`${stamps}.${process.pid}`, JSON.stringify({ ...readStamps(), [target]: value }))
  renameSync(`${stamps}.${process.pid}`, stamps)
}

/** @param {Target} target */
function stale(target) {
  const { from, made } = targets[target]
  const known = readStamps()[target]
  const { changed, now } = compare(
    from.map((path) => join(root, path)),
    known,
  )
  if (changed || !existsSync(join(root, made))) return now
  if (now !== known) writeStamp(target, now)
  return undefined
}

/** @param {Target[]} wanted */
function staleTargets(wanted) {
  return wanted.filter((target) => stale(target))
}

/** @param {Target} target */
async function build(target) {
  const { name, folder, tool, args } = targets[target]
  const fingerprint = stale(target)
  writeStamp(target, undefined) // an interrupted build must not count as done
  const env = { ...process.env, NODE_ENV: 'production' }
  const { code, output } = await runTool(tool, args, { cwd: join(root, folder), env })
  if (code !== 0) throw new Error(`Building ${name} failed:\n\n${output.trim()}`)
  writeStamp(target, fingerprint)
}

/**
 * Makes the next build start over, for code that writes to a dist folder by other means.
 * @param {Target} target
 */
export function forgetBuild(target) {
  writeStamp(target, undefined)
}

/** Builds what is out of date; prints nothing if everything is up to date. */
export async function ensureBuilt(wanted = everyTarget) {
  if (staleTargets(wanted).length === 0) return
  await alone(join(root, '.cache/build.lock'), async () => {
    const list = staleTargets(wanted)
    if (list.length === 0) return
    const what = list.map((target) => targets[target].name).join(' and ')
    await progress(`Building ${what}`, () => Promise.all(list.map(build)))
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await setup()
    everyTarget.forEach(forgetBuild)
    await ensureBuilt()
  } catch (error) {
    fail(error)
  }
}
