// @ts-check
// Installs programs on a Debian machine: with apt-get, or with pip into separate environments.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { progress, run, say } from '../running/child.mjs'

/** @param {string} command */
export function onPath(command) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  return folders.map((folder) => join(folder, command)).find(runnable)
}

/** @param {string} file */
export function runnable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

// Run by root, with the packages as arguments. Installing a package with a service would start it, so this script
// denies that through policy-rc.d during the installation.
const install = `
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT INT TERM
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# All at once, which takes half as long; one by one if a package is missing, so that the others still come.
apt-get install -q -y --no-install-recommends "$@" || for package in "$@"; do
  apt-get install -q -y --no-install-recommends "$package" || true
done
`

/**
 * The command prefix that runs a command as root without a prompt; undefined if that is not possible.
 * @returns {string[] | undefined}
 */
export function asRoot() {
  if (process.getuid?.() === 0) return []
  const sudo = onPath('sudo')
  return sudo && spawnSync(sudo, ['-n', 'true']).status === 0 ? [sudo, '-n'] : undefined
}

/**
 * @param {string[]} root
 * @param {string[]} packages
 * @returns {Promise<string>} why something is still missing, or an empty string
 */
export async function installPackages(root, packages) {
  const command = [...root, 'sh', '-c', install, 'install', ...packages]
  const what = `Installing Debian packages (${packages.join(', ')})`
  const { code, output } = await progress(what, () => run(command[0] ?? 'sh', command.slice(1)))
  const problems = output.split('\n').filter((line) => /^(E|W): |^Err:/.test(line))
  for (const line of problems) say(`  ${line}`)
  return (
    problems.pop() ??
    (code === 0 ? 'apt-get installed it, but it cannot be found' : `apt-get exited with code ${code}`)
  )
}

/**
 * @param {string} name
 * @param {string} program  its path in the folder `bin` of its own environment
 * @param {string} requirement
 * @returns {Promise<string>} why it could not be installed, or an empty string
 */
export async function installWithPip(name, program, requirement) {
  // The system's own Python, which every account can run; one on the PATH may be in someone's home.
  const python = ['/usr/bin/python3'].find(runnable) ?? onPath('python3')
  if (!python) return `python3, which ${name} needs, is not installed`
  const folder = dirname(dirname(program))
  const { code, output } = await progress(`Installing ${name} with pip`, async () => {
    try {
      mkdirSync(dirname(folder), { recursive: true })
    } catch {
      return { code: 1, output: `no permission to create ${folder}` }
    }
    const made = await run(python, ['-m', 'venv', folder])
    if (made.code !== 0) return made
    const quick = ['--disable-pip-version-check', '--quiet', '--timeout', '20', '--retries', '1']
    return run(join(folder, 'bin/python'), ['-m', 'pip', 'install', ...quick, requirement])
  })
  if (code === 0) return 'pip installed it, but it cannot be found'
  // An incomplete installation would count as installed the next time.
  rmSync(folder, { recursive: true, force: true })
  const last = output.trim().split('\n').pop()
  return `${last || `pip exited with code ${code}`}; run it yourself: pip install '${requirement}'`
}
