import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { syncFolder, writeDurably } from '@flotilla/system/durable-file'
import { cleanEnvironment, type Account } from './account'

export const USER = 'flotilla'

/** What it takes to run a database program on one data folder. */
export interface Site {
  programs: string
  folder: string
  account: Account | undefined
}

/**
 * The path of the data folder for PostgreSQL. Under another account, its real path may lead through folders that are
 * closed to that account, but a child that is started inside it can use its working directory.
 */
export const folderName = ({ folder, account }: Site) =>
  account && process.platform === 'linux' ? '/proc/self/cwd' : folder

function run(site: Site, program: string, args: string[], input = ''): void {
  const done = spawnSync(path.join(site.programs, program), args, {
    ...site.account,
    cwd: site.folder,
    env: cleanEnvironment,
    encoding: 'utf8',
    input,
  })
  if (done.status !== 0) throw new Error(`${program} failed: ${done.error?.message ?? done.stderr.trim()}`)
}

/** Runs statements as the superuser while no server runs; each is on one line. */
const singleUser = (site: Site, statements: string[]) =>
  run(
    site,
    'postgres',
    [
      '--single',
      '-D',
      folderName(site),
      '-c',
      'exit_on_error=on',
      '-c',
      'dynamic_shared_memory_type=mmap',
      '-c',
      // Passwords are random and long: hashing them thousands of times protects nothing and slows down every
      // connection.
      'scram_iterations=1',
      'postgres',
    ],
    statements.map((statement) => `${statement}\n`).join(''),
  )

/** Hexadecimal, so it needs no quoting in SQL or in a URL. */
const newPassword = () => randomBytes(24).toString('hex')

/**
 * Creates the data folder if there is none, and returns the password of the console's own role. That role owns its
 * database and is not a superuser; the superuser's password is random and stored nowhere, so no one can log in as it.
 */
export async function initialize(site: Site, dataDir: string): Promise<string> {
  const passwordFile = path.join(dataDir, 'pg-password')
  const fresh = !existsSync(path.join(site.folder, 'PG_VERSION'))
  if (fresh) {
    const draft: Site = { ...site, folder: `${site.folder}.new` }
    const pwfile = path.join(dataDir, 'pg-superuser.new')
    // A start that was killed halfway leaves these.
    rmSync(draft.folder, { recursive: true, force: true })
    rmSync(pwfile, { force: true })
    mkdirSync(draft.folder, { mode: 0o700 })
    writeFileSync(pwfile, newPassword(), { mode: 0o600, flag: 'wx' })
    if (site.account)
      for (const made of [draft.folder, pwfile]) chownSync(made, site.account.uid, site.account.gid)
    try {
      run(draft, 'initdb', [
        `--pgdata=${folderName(draft)}`,
        '--username=postgres',
        `--pwfile=../${path.basename(pwfile)}`,
        '--auth=scram-sha-256',
        '--data-checksums',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
      ])
    } finally {
      rmSync(pwfile, { force: true })
    }
    const password = newPassword()
    singleUser(draft, [
      `create role ${USER} login createdb password '${password}'`,
      `create database ${USER} owner ${USER}`,
    ])
    await writeDurably(passwordFile, password)
    renameSync(draft.folder, site.folder)
    await syncFolder(dataDir)
  } else if (!existsSync(passwordFile)) {
    const password = newPassword()
    singleUser(site, [`alter role ${USER} password '${password}'`])
    await writeDurably(passwordFile, password)
  }
  return readFileSync(passwordFile, 'utf8').trim()
}
