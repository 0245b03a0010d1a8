import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { until } from '../until'

// Machines that are namespaces of this one: each has its own files (a copy of this machine's, as it is written to), name,
// network address, processes and people, so that what is meant for a whole machine can be run unchanged. Only root can.
// Another system than this machine's is in the folder FLOTILLA_TEST_SYSTEM, as debootstrap makes it.
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
  /** The words by which a command of this machine's runs there. */
  inside(argv: string[]): string[]
  /** As if someone pulled the plug. */
  powerOff(): Promise<void>
  /** With systemd, as the cloud does it. */
  shutDown(): Promise<void>
  /** With the files that it had, and the same address. */
  powerOn(): Promise<void>
}

/** Where a machine is in a cloud's network: all that it sends, even within its subnet, goes through the router. */
export interface Place {
  address: string
  /** Of the subnet's range; 32 where a machine is told nothing of it. */
  length: number
  /** The router's address. */
  gateway: string
}

export interface TestNetwork {
  /** Folders in `shared` are the same in every machine: what a network file system would do. */
  boot(name: string, shared: string[], at?: Place): Promise<TestMachine>
  /** The words by which a command of this machine's runs on the router, which has this address too. */
  onRouter(address: string, argv: string[]): Promise<string[]>
  /** Where a shared folder is on this machine. */
  place(shared: string): string
  stop(): Promise<void>
}

const namespaces = ['--mount', '--uts', '--ipc', '--net', '--cgroup']

/** In a network and with a disk of its own: this machine's network and mounts stay as they are. */
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
# What a stand-in for a network file system mounts from.
mkdir -p "$shared" run/elsewhere/files
chmod 0700 run/elsewhere
mount --bind "$shared" run/elsewhere/files
# To squash root with: where root is this account. It cannot be made after chroot.
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
  # Services of this machine that are not needed, on its first boot.
  if [ ! -e ../booted ]; then
    rm -rf etc/systemd/system/*.wants
    # Addresses of network cards are made from it.
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

/** Each machine has its own control group, which systemd takes for the whole. */
const cellScript = `
set -e
cell=$1
shift
mount -t cgroup2 cgroup /mnt
# What the machine left there when it was on before.
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
  let complaints = ''
  const end = async (name: string) => {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    // All that runs in a machine ends with its first process; systemd does not end with the one that started it.
    const first = await firstProcess(child.pid)
    if (first) process.kill(Number(first), 'SIGKILL')
    else child.kill('SIGKILL')
    await closed
  }
  const start = (name: string, argv: string[]) => {
    // They end with the test, however it ends.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...argv], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
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
    await sure([...inHub, 'ip', 'link', 'add', 'switch', 'type', 'bridge'])
    await sure([...inHub, 'ip', 'link', 'set', 'switch', 'up'])
    await sure([...inHub, 'sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward'])
  } catch (error) {
    await stop()
    throw error
  }

  let last = 0
  return {
    stop,
    place: (shared) => path.join(folder, 'shared', shared),
    async onRouter(address, argv) {
      await sure([...inHub, 'ip', 'addr', 'replace', `${address}/32`, 'dev', 'switch'])
      return [...inHub, ...argv]
    },
    async boot(name, shared, at) {
      const number = ++last
      const address = at?.address ?? `10.77.0.${number}`
      const files = path.join(disks, String(number))
      const cell = `${path.basename(folder)}-${number}`
      await sure([...inHub, 'mkdir', files])
      let enter: string[] = []
      const run: TestMachine['run'] = (argv, { stdin = '', env = {} } = {}) =>
        command(
          [...enter, 'env', ...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...argv],
          stdin,
        )
      const powerOn = async () => {
        const shares = [path.join(folder, 'shared'), ...shared]
        const boot = ['sh', '-c', bootScript, 'boot', files, system, init, name, ...shares]
        // The hub's mounts, but a control group and namespaces of its own.
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
          if (child.exitCode !== null) throw new Error(`${name} did not boot: ${complaints}`)
          return firstProcess(child.pid)
        })
        enter = ['nsenter', '--target', first, ...namespaces, '--pid', '--root', '--wd']
        await until(async () => isUp(await run(['sh', '-c', upScript])))
        await command([...inHub, 'ip', 'link', 'delete', `port${number}`])
        const cable = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', first]
        await sure([...inHub, 'ip', 'link', 'add', `port${number}`, ...cable])
        const onSwitch = at ? [] : ['master', 'switch']
        await sure([...inHub, 'ip', 'link', 'set', `port${number}`, ...onSwitch, 'up'])
        await sure([...enter, 'ip', 'link', 'set', 'lo', 'up'])
        await sure([...enter, 'ip', 'addr', 'add', `${address}/${at?.length ?? 24}`, 'dev', 'eth0'])
        await sure([...enter, 'ip', 'link', 'set', 'eth0', 'up'])
        if (!at) return
        await sure([...inHub, 'ip', 'addr', 'replace', `${at.gateway}/32`, 'dev', 'switch'])
        await sure([...inHub, 'ip', 'route', 'replace', `${address}/32`, 'dev', `port${number}`])
        await sure([...inHub, 'sh', '-c', `echo 1 >/proc/sys/net/ipv4/conf/port${number}/proxy_arp`])
        const direct = at.length === 32 ? ['dev', 'eth0', 'onlink'] : []
        await sure([...enter, 'ip', 'route', 'add', 'default', 'via', at.gateway, ...direct])
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

/** A machine's first process is a child of unshare that is number 1 where it is; it carries all the namespaces. */
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
// It may not answer at all while it starts.
const upScript = 'test -e /run/test/up || timeout 5 systemctl is-system-running'
const isUp = ({ code, stdout }: Result) => code === 0 || stdout.trim() === 'degraded'

const command = ([program = '', ...args]: string[], stdin = '') =>
  new Promise<Result>((resolve, reject) => {
    const child = spawn(program, args, { cwd: '/', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
    // A daemon that a command left behind keeps its output open: the end of the command itself is what counts.
    child.on('exit', (code) => setTimeout(() => resolve({ code, stdout, stderr }), 20)).on('error', reject)
    child.stdin.on('error', () => {}).end(stdin)
  })

async function sure(argv: string[]): Promise<void> {
  const { code, stderr } = await command(argv)
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
}
