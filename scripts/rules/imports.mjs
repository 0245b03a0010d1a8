// @ts-check
// Checks every import against the tables of layers.mjs and rooms.mjs.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, root, say } from '../running/child.mjs'
import { everything, roots, siblings, sqlCalls, sqlPackages, sqlPlaces } from './layers.mjs'
import { roomBreach } from './rooms.mjs'

const isTest = (/** @type {string} */ file) => /\.(test|spec)\.tsx?$|\/test\//.test(file)

/**
 * What a file imports: `import x from`, `export x from`, `import 'x'`, `import type`, `import('x')`.
 * @param {string} text
 * @returns {{ target: string, line: number }[]}
 */
export function importsOf(text) {
  // Comments are blanked and strings are kept: an import in a comment does not count, and `//` in a string is not a
  // comment.
  const code = text.replace(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (all, string) => string ?? all.replace(/[^\n]/g, ' '),
  )
  const pattern =
    /^[ \t]*(?:import|export)\b[^'"`;()=]*?\bfrom\s*['"]([^'"\n]+)['"]|^[ \t]*import\s*['"]([^'"\n]+)['"]|\bimport\s*\(\s*['"]([^'"\n]+)['"]/gm
  return [...code.matchAll(pattern)].map((match) => ({
    target: match[1] ?? match[2] ?? match[3] ?? '',
    line: code.slice(0, match.index + match[0].length).split('\n').length,
  }))
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function sources(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name === 'dist' ? [] : sources(path)
    return /\.(ts|tsx)$/.test(entry.name) ? [path] : []
  })
}

/**
 * The file that an import resolves to, or undefined for an npm package.
 * @param {string} base the repository
 * @param {string} file
 * @param {string} target
 */
function resolve(base, file, target) {
  const [, name, rest = ''] = /^@flotilla\/(contract|client|system|simulated-cloud)\/(.+)/.exec(target) ?? []
  if (!target.startsWith('.') && !name) return undefined
  const path = name
    ? posix.join('packages', name, 'src', rest)
    : posix.join(dirname(file), target.replace(/\?.*$/, ''))
  const found = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'].find((end) => {
    const full = join(base, path + end)
    return existsSync(full) && statSync(full).isFile()
  })
  return path + (found ?? '')
}

/**
 * The root that contains a file, and its layer there.
 * @param {string} file
 */
function place(file) {
  const side = Object.keys(roots).find((name) => file.startsWith(`${name}/`))
  const rules = side === undefined ? undefined : roots[side]
  if (side === undefined || rules === undefined) return undefined
  const inside = file.slice(side.length + 1)
  const top = rules.top.some((name) => inside.startsWith(name))
  const layer = top ? 'top' : inside.includes('/') ? inside.slice(0, inside.indexOf('/')) : 'files'
  return { side, layer, may: top ? everything : rules.layers[layer] }
}

/**
 * The rule that an import between two files violates, if any.
 * @param {string} from
 * @param {string} to
 * @returns {string | undefined}
 */
function violation(from, to) {
  const here = place(from)
  const there = place(to)
  if (!here) return undefined
  if (there?.side !== here.side) {
    const open = ['packages/contract/src/', ...(roots[here.side]?.alsoAllowed ?? [])]
    if (isTest(from)) open.push(`${dirname(here.side)}/test/`)
    return open.some((path) => to.startsWith(path))
      ? undefined
      : 'crosses between server and web; only the packages are shared'
  }
  if (isTest(from)) return undefined
  if (isTest(to)) return 'is not a test, but imports one'
  if (here.may === undefined || here.may === everything) return undefined
  if (here.layer !== there.layer && !here.may.includes(there.layer)) {
    return `may import only ${[here.layer, ...here.may].join(', ')}`
  }
  for (const { folder, entryPoints, shared } of siblings) {
    if (!from.startsWith(`${folder}/`) || !to.startsWith(`${folder}/`)) continue
    const own = from.slice(folder.length + 1).split('/')
    const other = to.slice(folder.length + 1).split('/')
    if (other.length < 2 || own.length < 2 || own[0] === other[0]) continue
    const [name = ''] = other
    if (shared?.includes(name)) return undefined
    if (!entryPoints) return `may not import its sibling ${name}`
    // A module's rules, and its entry point for modules that are opened after it.
    if (![`${name}/${name}.ts`, `${name}/open.ts`].includes(other.join('/')))
      return `may use ${name} only through ${name}/${name}.ts or ${name}/open.ts`
  }
  return roomBreach(from, to)
}

/**
 * @param {string} from
 * @param {string} name an npm package or one of Node's modules
 * @returns {string | undefined}
 */
function packageViolation(from, name) {
  if (/^@flotilla\/(server|web)\b/.test(name))
    return 'crosses between server and web; only the packages are shared'
  const here = place(from)
  if (!here || isTest(from)) return undefined
  const allowed = roots[here.side]?.packages
  const bare = name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
  if (allowed && !allowed.includes(bare)) return `may import only ${allowed.join(', ')}`
  if (here.side === 'apps/web/src' && name.startsWith('node:')) return 'runs in a browser'
  if (sqlPackages.includes(bare) && !sqlPlaces.some((pattern) => pattern.test(from))) {
    return "may not contain SQL; it belongs in a module's store.ts"
  }
  return undefined
}

/**
 * Every import cycle, each reported once.
 * @param {Map<string, string[]>} graph
 */
function cycles(graph) {
  /** @type {Map<string, 'open' | 'done'>} */
  const state = new Map()
  /** @type {string[]} */
  const found = []
  /** @param {string} file @param {string[]} path */
  const visit = (file, path) => {
    state.set(file, 'open')
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === 'open') {
        found.push(`a cycle: ${[...path.slice(path.indexOf(next)), next].join(' -> ')}`)
      } else if (!state.has(next)) visit(next, [...path, next])
    }
    state.set(file, 'done')
  }
  for (const file of graph.keys()) if (!state.has(file)) visit(file, [file])
  return found
}

/**
 * Checks every import of the repository against the tables.
 * @param {string} base the folder of the repository
 * @returns {string[]} one line per violation
 */
export function checkImports(base) {
  /** @type {string[]} */
  const violations = []
  /** @type {Map<string, string[]>} */
  const graph = new Map()
  /** @type {Set<string>} */
  const unknown = new Set()
  for (const path of Object.keys(roots).flatMap((side) => sources(join(base, side)))) {
    const file = relative(base, path).split(sep).join('/')
    const text = readFileSync(path, 'utf8')
    const here = place(file)
    if (here && here.may === undefined) unknown.add(`${here.side}/${here.layer}/`)
    /** @type {Set<string>} */
    const reached = new Set()
    for (const { target, line } of importsOf(text)) {
      const to = resolve(base, file, target)
      if (to) reached.add(to)
      const wrong = to ? violation(file, to) : packageViolation(file, target)
      if (wrong) violations.push(`${file}:${line} imports ${to ?? target}, but ${wrong}`)
    }
    graph.set(file, [...reached])
    if (file.startsWith('apps/server/src/') && !isTest(file) && sqlCalls.test(text)) {
      if (!sqlPlaces.some((pattern) => pattern.test(file)))
        violations.push(`${file} builds SQL, which belongs in a store.ts`)
    }
  }
  const unlisted = [...unknown].map(
    (folder) => `${folder} is missing from the table in scripts/rules/layers.mjs`,
  )
  return [...unlisted, ...violations, ...cycles(graph)]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const violations = checkImports(root)
  if (violations.length > 0) fail(violations.join('\n'))
  say('All imports follow the rules.')
}
