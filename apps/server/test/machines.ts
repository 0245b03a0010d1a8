import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { until } from './until'

// Machines that are namespaces of this one: each has its own files (a copy of this machine's, as it is written to), name,
// network address, processes and people, so that what is meant for a whole machine can be run unchanged. Only root can.

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

export interface TestMachine {
  name: string
  address: string
  run(argv: string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Result>
  /** As if somebody pulled the plug. Its files are gone with it. */
  powerOff(): Promise<void>
}

export interface TestNetwork {
  /** Folders in `shared` are the same in every machine: what a network file system would do. */
  boot(name: string, shared: string[]): Promise<TestMachine>
  /** Where a shared folder is on this machine. */
  place(shared: string): string
  stop(): Promise<void>
}

const boot = `
set -e
root=$1 name=$2 folder=$3
shift 3
mount --make-rprivate /
mount -t tmpfs -o mode=0755 own "$root"
mkdir "$root/upper" "$root/work" "$root/files"
mount -t overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" files "$root/files"
cd "$root/files"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs -o mode=0755 run run
mount -t tmpfs -o mode=1777 tmp tmp
for shared in "$@"; do
  mkdir -p "$folder/shared$shared" ".$shared"
  mount --bind "$folder/shared$shared" ".$shared"
done
hostname "$name"
mkdir -p run/test
exec chroot . /bin/sh -c 'touch /run/test/up; while sleep 1; do :; done'
`

export async function startNetwork(): Promise<TestNetwork> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-machines-'))
  const running = new Map<string, ChildProcess>()
  const start = (name: string, argv: string[]) => {
    const child = spawn('unshare', ['--kill-child', '--fork', '--pid', ...argv], { stdio: 'ignore' })
    running.set(name, child)
    return child
  }
  const end = async (name: string) => {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    child.kill('SIGKILL')
    await closed
  }
  const stop = async () => {
    await Promise.all([...running.keys()].map(end))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  // A switch in a network of its own, so that this machine's network stays as it is.
  const hub = start('switch', ['--net', 'sleep', 'infinity'])
  const inSwitch = (...argv: string[]) =>
    sure(['nsenter', '--target', String(hub.pid), '--net', 'ip', ...argv])
  try {
    await until(async () => (await command(['readlink', `/proc/${hub.pid}/ns/net`])).stdout !== (await own()))
    await inSwitch('link', 'add', 'switch', 'type', 'bridge')
    await inSwitch('link', 'set', 'switch', 'up')
  } catch (error) {
    await stop()
    throw error
  }

  let last = 0
  return {
    stop,
    place: (shared) => path.join(folder, 'shared', shared),
    async boot(name, shared) {
      const number = ++last
      const address = `10.77.0.${number}`
      const root = path.join(folder, `root-${number}`)
      await sure(['mkdir', root])
      const namespaces = ['--mount', '--uts', '--ipc', '--net']
      const child = start(name, [...namespaces, '/bin/sh', '-c', boot, 'boot', root, name, folder, ...shared])
      // The machine's first process is the child of unshare, and carries all its namespaces.
      const first = await until(async () => {
        if (child.exitCode !== null) throw new Error(`${name} did not boot`)
        return (await command(['cat', `/proc/${child.pid}/task/${child.pid}/children`])).stdout.trim()
      })
      await until(async () => (await command(['test', '-e', `/proc/${first}/root/run/test/up`])).code === 0)
      await inSwitch('link', 'add', `port${number}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', first)
      await inSwitch('link', 'set', `port${number}`, 'master', 'switch', 'up')
      const enter = [
        'nsenter',
        '--target',
        first,
        '--mount',
        '--uts',
        '--ipc',
        '--net',
        '--pid',
        '--root',
        '--wd',
      ]
      const machine: TestMachine = {
        name,
        address,
        run: (argv, { stdin = '', env = {} } = {}) =>
          command(
            [...enter, 'env', ...Object.entries(env).map(([key, value]) => `${key}=${value}`), ...argv],
            stdin,
          ),
        powerOff: () => end(name),
      }
      for (const argv of [
        ['ip', 'link', 'set', 'lo', 'up'],
        ['ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0'],
        ['ip', 'link', 'set', 'eth0', 'up'],
      ])
        await sure([...enter, ...argv])
      return machine
    },
  }
}

const own = async () => (await command(['readlink', '/proc/self/ns/net'])).stdout

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
