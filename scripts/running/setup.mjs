// @ts-check
// The first step of every command: checks that Node is new enough, and installs npm packages if needed. It uses only
// Node's own modules, because a fresh clone has nothing else.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { progress, root, run, say } from './child.mjs'
import { alone } from './lock.mjs'

const stamp = join(root, 'node_modules/.flotilla-install')

/** Prints an explanation where an older Node would report a syntax error. */
export function ensureNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const wanted = String(engines.node).replace('>=', '')
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return
  process.stderr.write(
    `Flotilla needs Node ${wanted} or newer; this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer version from https://nodejs.org or with your version manager, then try again.\n',
  )
  process.exit(1)
}

/** A hash of everything that determines the contents of node_modules. */
function wantedPackages() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`)
  const files = ['package.json', 'package-lock.json', '.npmrc']
  for (const folder of ['apps', 'packages']) {
    for (const name of readdirSync(join(root, folder)).toSorted())
      files.push(`${folder}/${name}/package.json`)
  }
  for (const file of files) {
    const path = join(root, file)
    if (existsSync(path)) hash.update(`\n${file}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** @param {string} wanted */
function installed(wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

/** How many packages are unpacked, which is the only sign of npm's progress. */
function packagesSoFar() {
  const folder = join(root, 'node_modules')
  if (!existsSync(folder)) return 'querying the registry'
  const list = (/** @type {string} */ path) => readdirSync(path).filter((name) => !name.startsWith('.'))
  const packages = list(folder).flatMap((name) =>
    name.startsWith('@') ? list(join(folder, name)).map((one) => join(name, one)) : [name],
  )
  const unpacked = packages.filter((name) => existsSync(join(folder, name, 'package.json')))
  return `${unpacked.length} of ${packages.length} packages`
}

/** Installs exactly what the lock file lists, and removes anything else. */
async function installPackages() {
  const args = ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  const npm = process.env.npm_execpath
  // Build tools are development dependencies, so they are installed even if NODE_ENV is production.
  const env = { ...process.env, NODE_ENV: 'development', npm_config_include: 'dev' }
  await progress(
    'Installing npm packages',
    async () => {
      const install = (/** @type {string[]} */ ...more) =>
        npm?.endsWith('.js')
          ? run(process.execPath, [npm, ...args, ...more], { env })
          : run('npm', [...args, ...more], { env })
      // The lock file has content hashes, so packages in npm's cache can be used without querying the registry. Only
      // the cached lists of versions may be outdated.
      let done = await install('--prefer-offline')
      if (done.code !== 0) done = await install()
      if (done.code === 0) return
      const tail = done.output.trim().split('\n').slice(-30).join('\n')
      throw new Error(
        `npm could not install the packages:\n${tail}\n\nCan this machine reach the npm registry?`,
      )
    },
    packagesSoFar,
  )
}

/** @returns {Promise<import('./natives.mjs').Failure[]>} */
async function brokenNatives() {
  const { code, output } = await run(process.execPath, [join(root, 'scripts/running/natives.mjs')])
  const lines = output.trim().split('\n')
  const answer = lines.find((line) => line.startsWith('['))
  if (answer) return JSON.parse(answer)
  return [{ name: 'a native package', needed: true, why: lines.pop() || `exit code ${code}` }]
}

/** Installs the npm packages if they are missing or do not match the repository. */
export async function ensureInstalled() {
  const wanted = wantedPackages()
  if (installed(wanted)) return
  await alone(
    join(root, '.cache/install.lock'),
    async () => {
      if (installed(wanted)) return
      await installPackages()
      const broken = await brokenNatives()
      const needed = broken.filter((one) => one.needed)
      if (needed.length > 0) {
        const list = needed.map((one) => `  ${one.name}: ${one.why}`).join('\n')
        throw new Error(`These npm packages do not run on this machine:\n${list}`)
      }
      for (const one of broken) say(`Note: ${one.name} does not run on this machine: ${one.why}`)
      writeFileSync(stamp, wanted)
    },
    (holder) =>
      say(`Another process (${holder}) is installing the npm packages; waiting for it to finish ...`),
  )
}

/** The first step of every command. */
export async function setup() {
  ensureNode()
  await ensureInstalled()
}
