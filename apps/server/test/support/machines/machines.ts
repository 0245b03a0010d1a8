import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { until } from '../until'

// Machines that are namespaces of this one. Each has its own files (an overlay on this machine's), hostname, address,
// processes and accounts, so that scripts for a whole machine run unchanged. This requires root.
// FLOTILLA_TEST_SYSTEM is a folder with another system, as debootstrap creates it.
const system = process.env.FLOTILLA_TEST_SYSTEM ?? '/'

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

export interface TestMachine {
  name: string
  address: string
  run(argv: string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Result>
  /** The command line that runs a command inside the machine. */
  inside(argv: string[]): string[]
  /** Kills all its processes at once, as a power failure does. */
  powerOff(): Promise<void>
  /** Shuts down through systemd, as the cloud does. */
  shutDown(): Promise<void>
  /** Boots again with the same files and address. */
  powerOn(): Promise<void>
}

/** The place of a machine in a cloud's network, where the router forwards all packets, even within a subnet. */
export interface Place {
  address: string
  /** The prefix length of the subnet, or 32 where machines are not told about it. */
  length: number
  /** The router's address. */
  gateway: string
}

export interface TestNetwork {
  /** Boots a machine. The folders in `shared` are common to all machines, as on a network file system. */
  boot(name: string, shared: string[], at?: Place): Promise<TestMachine>
  /** Gives the router this additional address, and returns the command line that runs a program on it. */
  onRouter(address: string, argv: string[]): Promise<string[]>
  /** The path of a shared folder on this machine. */
  place(shared: string): string
  stop(): Promise<void>
}

const namespaces = ['--mount', '--uts', '--ipc', '--net', '--cgroup']

/** Runs with its own network and mounts, so that those of this machine do not change. */
const hubScript = `
mount --make-rprivate / && mount -t tmpfs -o mode=0755 machines "$1" && touch "$1/.up" && exec sleep infinity
`

const bootScript = `
set -e
files=$1 system=$2 init=$3 name=$4 shared=$5
shift 5
cd "$files"
mkdir -p upper work root
mount -t overlay -o "lowerdir=$system,upperdir=upper,workdir=work" files root
cd root
mount -t proc proc proc
mount -t tmpfs -o mode=0755 run run
mount -t tmpfs -o mode=1777 tmp tmp
# The folder that the stand-in for NFS mounts from.
mkdir -p "$shared" run/elsewhere/files
chmod 0700 run/elsewhere
mount --bind "$shared" run/elsewhere/files
# A user namespace that maps root to account 64031, for squashing root. It cannot be created after chroot.
unshare --user sleep 60 &
until [ "$(readlink "proc/$!/ns/user")" != "$(readlink proc/self/ns/user)" ]; do sleep 0.05; done
echo '64031 0 1' >"proc/$!/uid_map"
echo '64031 0 1' >"proc/$!/gid_map"
touch run/elsewhere/root-is-64031
mount --bind "proc/$!/ns/user" run/elsewhere/root-is-64031
kill $!
for folder in "$@"; do
  mkdir -p "$shared$folder" ".$folder"
  mount --bind "$shared$folder" ".$folder"
done
hostname "$name"
if [ "$init" = systemd ]; then
  mount -t sysfs sysfs sys
  mount -t cgroup2 cgroup sys/fs/cgroup
  mount -t tmpfs -o mode=0755 dev dev
  for file in null zero full random urandom tty; do touch "dev/$file"; mount --bind "/dev/$file" "dev/$file"; done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666 pts dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  # The first boot removes the services of this machine, which are not needed.
  if [ ! -e ../booted ]; then
    rm -rf etc/systemd/system/*.wants
    # The MAC addresses are derived from it.
    tr -d - </proc/sys/kernel/random/uuid >etc/machine-id
    touch ../booted
  fi
  export container=flotilla-test
  exec chroot . /lib/systemd/systemd --unit=multi-user.target
fi
mount --rbind /dev dev
mount --rbind /sys sys
mkdir run/test
exec chroot . /bin/sh -c 'touch /run/test/up; while sleep 1; do :; done'
`

/** Gives each machine its own control group, which its systemd takes for the root of the hierarchy. */
const cellScript = `
set -e
cell=$1
shift
mount -t cgroup2 cgroup /mnt
# Removes the groups that an earlier boot of the machine left behind.
find "/mnt/$cell" -depth -type d -exec rmdir {} + 2>/dev/null || true
mkdir -p "/mnt/$cell"
echo $$ >"/mnt/$cell/cgroup.procs"
umount /mnt
exec unshare "$@"
`

export async function startNetwork(init: 'systemd' | 'plain' = 'plain'): Promise<TestNetwork> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-machines-'))
  const disks = path.join(folder, 'disks')
  await mkdir(disks)
  const running = new Map<string, ChildProcess>()
  let errors = ''
  const end = async (name: string) => {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    // Killing the first process ends all others in the machine; systemd survives the process that started it.
    const first = await firstProcess(child.pid)
    if (first) process.kill(Number(first), 'SIGKILL')
    else child.kill('SIGKILL')
    await closed
  }
  const start = (name: string, argv: string[]) => {
    // The processes end with the test, even if it is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...argv], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    running.set(name, child)
    return child
  }
  const alone = ['--kill-child', '--fork', '--pid']
  const hub = start('hub', ['unshare', ...alone, '--mount', '--net', 'sh', '-c', hubScript, 'hub', disks])
  const inHub = ['nsenter', '--target', String(hub.pid), '--mount', '--net']
  const stop = async () => {
    await Promise.all([...running.keys()].filter((name) => name !== 'hub').map(end))
    await command([...inHub, 'sh', '-c', removeCells, 'remove', path.basename(folder)])
    await end('hub')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await until(async () => (await command([...inHub, 'test', '-e', `${disks}/.up`])).code === 0)
    await mustRun([...inHub, 'ip', 'link', 'add', 'switch', 'type', 'bridge'])
    await mustRun([...inHub, 'ip', 'link', 'set', 'switch', 'up'])
    await mustRun([...inHub, 'sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward'])
  } catch (error) {
    await stop()
    throw error
  }

  let last = 0
  return {
    stop,
    place: (shared) => path.join(folder, 'shared', shared),
    async onRouter(address, argv) {
      await mustRun([...inHub, 'ip', 'addr', 'replace', `${address}/32`, 'dev', 'switch'])
      return [...inHub, ...argv]
    },
    async boot(name, shared, at) {
      const number = ++last
      const address = at?.address ?? `10.77.0.${number}`
      const files = path.join(disks, String(number))
      const cell = `${path.basename(folder)}-${number}`
      await mustRun([...inHub, 'mkdir', files])
      let enter: string[] = []
      const run: TestMachine['run'] = (argv, { stdin = '', env = {} } = {}) =>
        command(
          [...enter, 'env', ...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...argv],
          stdin,
        )
      const powerOn = async () => {
        const shares = [path.join(folder, 'shared'), ...shared]
        const boot = ['sh', '-c', bootScript, 'boot', files, system, init, name, ...shares]
        // The machine has the hub's mounts, but its own control group and namespaces.
        const child = start(`${number}`, [
          ...inHub.slice(0, -1),
          'unshare',
          '--mount',
          'sh',
          '-c',
          cellScript,
          'cell',
          cell,
          ...alone,
          ...namespaces,
          ...boot,
        ])
        const first = await until(() => {
          if (child.exitCode !== null) throw new Error(`${name} did not boot: ${errors}`)
          return firstProcess(child.pid)
        })
        enter = ['nsenter', '--target', first, ...namespaces, '--pid', '--root', '--wd']
        await until(async () => isUp(await run(['sh', '-c', upScript])))
        await command([...inHub, 'ip', 'link', 'delete', `port${number}`])
        const cable = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', first]
        await mustRun([...inHub, 'ip', 'link', 'add', `port${number}`, ...cable])
        const onSwitch = at ? [] : ['master', 'switch']
        await mustRun([...inHub, 'ip', 'link', 'set', `port${number}`, ...onSwitch, 'up'])
        await mustRun([...enter, 'ip', 'link', 'set', 'lo', 'up'])
        await mustRun([...enter, 'ip', 'addr', 'add', `${address}/${at?.length ?? 24}`, 'dev', 'eth0'])
        await mustRun([...enter, 'ip', 'link', 'set', 'eth0', 'up'])
        if (!at) return
        await mustRun([...inHub, 'ip', 'addr', 'replace', `${at.gateway}/32`, 'dev', 'switch'])
        await mustRun([...inHub, 'ip', 'route', 'replace', `${address}/32`, 'dev', `port${number}`])
        await mustRun([...inHub, 'sh', '-c', `echo 1 >/proc/sys/net/ipv4/conf/port${number}/proxy_arp`])
        const direct = at.length === 32 ? ['dev', 'eth0', 'onlink'] : []
        await mustRun([...enter, 'ip', 'route', 'add', 'default', 'via', at.gateway, ...direct])
      }
      const shutDown = async () => {
        const child = running.get(`${number}`)
        const closed = new Promise<void>((resolve) => child?.once('close', () => resolve()))
        await run(['systemctl', 'poweroff'])
        await closed
        running.delete(`${number}`)
      }
      await powerOn()
      const inside = (argv: string[]) => [...enter, ...argv]
      return { name, address, run, inside, powerOff: () => end(`${number}`), shutDown, powerOn }
    },
  }
}

/** The pid of a machine's first process: the child of unshare that has pid 1 in the machine's namespaces. */
async function firstProcess(unshare: number | undefined): Promise<string | undefined> {
  const { stdout } = await command(['cat', `/proc/${unshare}/task/${unshare}/children`])
  for (const pid of stdout.split(' ').filter(Boolean)) {
    const numbers = /^NSpid:\s+(.*)$/m.exec((await command(['cat', `/proc/${pid}/status`])).stdout)?.[1]
    if (numbers?.split('\t').at(-1) === '1') return pid
  }
  return undefined
}

const removeCells =
  'mount -t cgroup2 cgroup /mnt && find /mnt/"$1"-* -depth -type d -exec rmdir {} + 2>/dev/null'
// systemctl may hang while systemd starts, hence the timeout.
const upScript = 'test -e /run/test/up || timeout 5 systemctl is-system-running'
const isUp = ({ code, stdout }: Result) => code === 0 || stdout.trim() === 'degraded'

const command = ([program = '', ...args]: string[], stdin = '') =>
  new Promise<Result>((resolve, reject) => {
    const child = spawn(program, args, { cwd: '/', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
    // Waits for the exit and not for the end of the output, which a daemon left behind keeps open.
    child.on('exit', (code) => setTimeout(() => resolve({ code, stdout, stderr }), 20)).on('error', reject)
    child.stdin.on('error', () => {}).end(stdin)
  })

async function mustRun(argv: string[]): Promise<void> {
  const { code, stderr } = await command(argv)
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
}
