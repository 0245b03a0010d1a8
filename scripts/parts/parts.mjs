// @ts-check
// The real programs that tests need besides npm packages, and how to install them on a Debian machine.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildCodeServer, ownCodeServer } from './code-server.mjs'
import { buildAwsProvider, buildTofu, cache, ownAwsProvider, ownTofu } from './go-parts.mjs'
import { asRoot, installPackages, installWithPip, onPath, runnable } from './install.mjs'

/**
 * @typedef {{
 *   name: string,
 *   packages: string[],
 *   find: () => string | undefined,
 *   env: string,
 *   steps?: string[],
 *   soak?: boolean,
 *   install?: () => Promise<string>,
 *   build?: () => Promise<string>,
 * }} Part
 *
 * `find` returns the path of the part, which tests receive in the variable `env`.
 * A test file that needs a part has it in its name: `two-servers.postgresql.test.ts`, `jobs.slurm.spec.ts`.
 * `steps` are the steps of `npm test` that cannot run without it; with `soak`, only `npm run soak` needs it.
 * `install` installs what is not a Debian package, and returns why it failed. `build` is the same but takes minutes:
 * only `npm run soak` runs it.
 */

/** In a separate folder, so that the user's Python packages stay unchanged. */
const ownMoto = join(cache, 'moto/bin/moto_server')
/** Folders from which jobs of other accounts can run them. */
const ownJupyterLab = '/opt/flotilla/jupyterlab/bin/jupyter-lab'
const ownTensorBoard = '/opt/flotilla/tensorboard/bin/tensorboard'

/** @type {Part[]} */
export const parts = [
  {
    name: 'chromium',
    // The headless shell is about 25% faster than the full browser, which also works.
    packages: ['chromium-headless-shell'],
    find: () =>
      process.env.CHROMIUM ??
      ['chromium-headless-shell', 'chromium', 'chromium-browser'].map(onPath).find(Boolean),
    env: 'CHROMIUM',
    steps: ['e2e'],
  },
  {
    name: 'postgresql',
    packages: ['postgresql'],
    find: () => process.env.POSTGRES_BIN ?? newestPostgres(),
    env: 'POSTGRES_BIN',
  },
  // A real resource manager (controller, node daemons and commands), and what our cloud clusters have in addition.
  {
    name: 'slurm',
    packages: ['slurm-wlm', 'munge', 'slurmdbd', 'slurm-wlm-mysql-plugin', 'mariadb-server', 'dbus'],
    find: () => onPath('slurmdbd') && onPath('mariadbd') && onPath('slurmctld'),
    env: 'SLURMCTLD',
  },
  // Runs programs across nodes.
  {
    name: 'openmpi',
    packages: ['openmpi-bin', 'libopenmpi-dev', 'gcc', 'libc6-dev'],
    find: () => onPath('mpirun') && onPath('mpicc'),
    env: 'MPICC',
  },
  // Slurm's accounting database, which `sacct` queries.
  {
    name: 'slurmdbd',
    packages: ['slurm-wlm', 'munge', 'slurmdbd', 'slurm-wlm-mysql-plugin', 'mariadb-server'],
    find: () => onPath('slurmctld') && onPath('mariadbd') && onPath('slurmdbd'),
    env: 'SLURMDBD',
  },
  {
    name: 'sshd',
    packages: ['openssh-server', 'openssh-client'],
    find: () => onPath('sshd') && onPath('ssh-keygen'),
    env: 'SSH_KEYGEN',
  },
  // A directory server for LDAP logins.
  { name: 'slapd', packages: ['slapd'], find: () => onPath('slapd'), env: 'SLAPD' },
  // Not available as a Debian package.
  {
    name: 'tofu',
    packages: [],
    find: () => process.env.TOFU_BIN ?? onPath('tofu') ?? [ownTofu].find(runnable),
    env: 'TOFU_BIN',
    build: buildTofu,
  },
  // OpenTofu's provider for AWS.
  {
    name: 'aws-provider',
    packages: [],
    find: () => process.env.AWS_PROVIDER_BIN ?? [ownAwsProvider].find(runnable),
    env: 'AWS_PROVIDER_BIN',
    build: buildAwsProvider,
  },
  {
    name: 'packer',
    packages: ['packer'],
    find: () => process.env.PACKER_BIN ?? onPath('packer'),
    env: 'PACKER_BIN',
  },
  // Implements AWS's API. Creating its virtual environment needs the Debian package.
  {
    name: 'moto',
    packages: ['python3-venv'],
    find: () => process.env.MOTO_SERVER ?? onPath('moto_server') ?? [ownMoto].find(runnable),
    env: 'MOTO_SERVER',
    install: () => installWithPip('moto', ownMoto, 'moto[server]==5.2.1'),
  },
  // Apps that users run on clusters.
  {
    name: 'jupyterlab',
    soak: true,
    packages: ['python3-venv'],
    find: () => process.env.JUPYTERLAB ?? [ownJupyterLab].find(runnable),
    env: 'JUPYTERLAB',
    install: () => installWithPip('JupyterLab', ownJupyterLab, 'jupyterlab==4.6.6'),
  },
  {
    name: 'tensorboard',
    soak: true,
    packages: ['python3-venv'],
    find: () => process.env.TENSORBOARD ?? [ownTensorBoard].find(runnable),
    env: 'TENSORBOARD',
    install: () => installWithPip('TensorBoard', ownTensorBoard, 'tensorboard==2.21.0'),
  },
  {
    name: 'code-server',
    soak: true,
    packages: ['g++', 'make', 'ripgrep'],
    find: () => process.env.CODE_SERVER ?? onPath('code-server') ?? [ownCodeServer].find(runnable),
    env: 'CODE_SERVER',
    build: buildCodeServer,
  },
  {
    name: 'openvpn',
    packages: ['openvpn', 'openssl'],
    find: () => onPath('openssl') && onPath('openvpn'),
    env: 'OPENVPN',
  },
  // For desktops: the VNC server, a window manager, and a program to type into.
  {
    name: 'vnc',
    packages: ['tigervnc-standalone-server', 'tigervnc-common', 'openbox', 'xterm'],
    find: () => onPath('openbox') && onPath('xterm') && onPath('Xvnc'),
    env: 'XVNC',
  },
  // Full-screen programs for the terminal in the browser.
  {
    name: 'vim',
    packages: ['vim', 'less', 'procps'],
    find: () => onPath('less') && onPath('top') && onPath('vim'),
    env: 'VIM_BIN',
  },
  // Network access for sandboxes.
  {
    name: 'slirp4netns',
    packages: ['slirp4netns', 'iproute2'],
    find: () => onPath('ip') && onPath('slirp4netns'),
    env: 'SLIRP4NETNS',
  },
  // For the firewalls of test machines.
  { name: 'iptables', packages: ['iptables'], find: () => onPath('iptables'), env: 'IPTABLES' },
  { name: 'sudo', packages: ['sudo'], find: () => onPath('sudo'), env: 'SUDO' },
  // Not a package: only root can run tests that act as other accounts.
  {
    name: 'root',
    packages: [],
    find: () => (process.getuid?.() === 0 ? '/' : undefined),
    env: 'ROOT_FOLDER',
  },
]

/** Whether it can be installed automatically. @param {Part} part */
export const isInstallable = ({ packages, install, build }) =>
  install !== undefined || (packages.length > 0 && build === undefined)

/** Debian installs each version's commands in a separate folder that is not on the PATH. */
function newestPostgres() {
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder)
    ? readdirSync(folder)
        .map(Number)
        .toSorted((a, b) => b - a)
    : []
  return versions
    .map((version) => join(folder, String(version), 'bin'))
    .find((bin) => runnable(join(bin, 'initdb')))
}

/** @param {Part} part */
const notPackaged = ({ env, build }) =>
  `not a Debian package; install it yourself and set ${env}${build ? ', or run `npm run soak`, which builds it' : ''}`

/**
 * Installs missing parts if possible.
 * @param {(part: Part) => boolean} wanted
 * @param {{ build?: boolean }} [options] whether to also build parts, which takes minutes
 * @returns {Promise<{ there: Part[], leftOut: { part: Part, why: string }[], env: Record<string, string> }>}
 */
export async function ensureParts(wanted, { build = false } = {}) {
  const list = parts.filter(wanted)
  // The packages of a part that has to be built are only installed if it is built now.
  const missing = list.filter((part) => part.find() === undefined && (build || !part.build))
  let why = ''
  if (missing.length > 0) {
    const packages = [...new Set(missing.flatMap((part) => part.packages))]
    const root = asRoot()
    if (packages.length === 0) why = ''
    else if (!onPath('apt-get')) why = `apt-get not found; install ${packages.join(', ')} yourself`
    else if (!root) why = `no permission to install it; run: sudo apt-get install ${packages.join(' ')}`
    else why = await installPackages(root, packages)
  }
  /** @type {Map<Part, string>} */
  const missingReasons = new Map()
  for (const part of missing) {
    const bring = part.install ?? part.build
    if (bring && part.find() === undefined) missingReasons.set(part, await bring())
  }
  const there = list.filter((part) => part.find() !== undefined)
  return {
    there,
    leftOut: list
      .filter((part) => !there.includes(part))
      .map((part) => ({
        part,
        why:
          missingReasons.get(part) ??
          (missing.includes(part) && part.packages.length > 0 ? why : notPackaged(part)),
      })),
    env: Object.fromEntries([
      ['FLOTILLA_PARTS', there.map((part) => part.name).join(',')],
      ...there.map((part) => [part.env, part.find() ?? '']),
    ]),
  }
}
