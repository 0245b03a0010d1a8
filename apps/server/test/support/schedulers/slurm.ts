import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { accountingLines, startAccounting } from './slurmdbd'
import { until } from '../until'

interface SlurmOptions {
  /** The number of nodes, which are named n1, n2 and so on. */
  nodes: number
  /** Cores of each node, whatever the machine has. */
  cpus?: number
  /** GPUs of each node, of the type a100, which are only device files. */
  gpus?: number
  /** Starts slurmdbd with a database, which `sacct` needs. */
  accounting?: boolean
  /** Additional lines at the end of slurm.conf. */
  conf?: string
}

export interface TestSlurm {
  /** The environment with which a client finds this cluster. */
  env: { SLURM_CONF: string }
  /** A folder that every account may read and write, for scripts and output. */
  workdir: string
  /** Kills the controller, as a power failure does. */
  killController(): Promise<void>
  startController(): Promise<void>
  /** Kills a node with its jobs, as a power failure does. */
  killNode(name: string): Promise<void>
  startNode(name: string): Promise<void>
  /** Ends everything, including running jobs, and removes the folder. */
  stop(): Promise<void>
}

/** A private Slurm with ports and a folder of its own, so that several can run in parallel. */
export async function startSlurm(options: SlurmOptions): Promise<TestSlurm> {
  const { nodes, cpus = 4, gpus = 0, accounting = false, conf = '' } = options
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-slurm-'))
  // Other accounts need access to the munge socket and the work folder in it.
  await chmod(folder, 0o755)
  const at = (...parts: string[]) => path.join(folder, ...parts)
  for (const name of ['state', 'spool', 'log', 'dev', 'work']) await mkdir(at(name))
  await chmod(at('work'), 0o1777)
  await writeFile(at('munge.key'), randomBytes(1024), { mode: 0o400 })

  const names = Array.from({ length: nodes }, (_, index) => `n${index + 1}`)
  const [controllerPort = 0, database = 0, dbd = 0, ...nodePorts] = await freePorts(nodes + 3)
  const account = os.userInfo().username
  const gres = gpus ? ` Gres=gpu:a100:${gpus}` : ''
  const lines = [
    `ClusterName=c${controllerPort}`,
    'SlurmctldHost=localhost',
    `SlurmUser=${account}`,
    `SlurmdUser=${account}`,
    `SlurmctldPort=${controllerPort}`,
    `AuthInfo=socket=${at('munge.sock')}`,
    'CommunicationParameters=NoInAddrAny,NoCtldInAddrAny',
    `StateSaveLocation=${at('state')}`,
    `SlurmdSpoolDir=${at('spool', '%n')}`,
    `SlurmctldPidFile=${at('ctld.pid')}`,
    `SlurmdPidFile=${at('%n.pid')}`,
    `SlurmctldLogFile=${at('log', 'slurmctld.log')}`,
    `SlurmdLogFile=${at('log', '%n.log')}`,
    'ProctrackType=proctrack/linuxproc',
    'SelectType=select/cons_tres',
    'SlurmdParameters=config_overrides',
    'ReturnToService=2',
    'DefMemPerCPU=100',
    'KillWait=2',
    // With these, Slurm notices a dead node or an overrun wall time within seconds.
    'SlurmdTimeout=6',
    'SchedulerParameters=sched_min_interval=1,batch_sched_delay=0,sched_interval=1,bf_interval=1',
    ...(gpus ? ['GresTypes=gpu'] : []),
    ...names.map(
      (name, index) =>
        `NodeName=${name} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${nodePorts[index]} CPUs=${cpus} RealMemory=4000${gres}`,
    ),
    'PartitionName=batch Nodes=ALL Default=YES',
    ...(accounting ? accountingLines(folder, dbd) : []),
    conf,
  ]
  await writeFile(at('slurm.conf'), `${lines.join('\n')}\n`)
  if (gpus) {
    // Slurm only checks that the device file exists.
    for (let index = 0; index < gpus; index++)
      await ended(spawn('mknod', ['-m666', at('dev', `gpu${index}`), 'c', '1', '3']))
    await writeFile(
      at('gres.conf'),
      `Name=gpu Type=a100 File=${at('dev', gpus > 1 ? `gpu[0-${gpus - 1}]` : 'gpu0')}\n`,
    )
  }

  const env = { SLURM_CONF: at('slurm.conf') }
  const running = new Map<string, ChildProcess>()
  // Daemons run in the foreground as our children, so that their end is noticed.
  const start = (name: string, command: string, args: string[]) =>
    running.set(name, spawn(command, args, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' }))
  const kill = async (name: string, signal: NodeJS.Signals) => {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = ended(child)
    child.kill(signal)
    await closed
  }
  const answer = async (...argv: [string, ...string[]]) => {
    const child = spawn(argv[0], argv.slice(1), {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await ended(child)
    return output
  }
  /** Fails with the log when the daemon ends instead of getting ready. */
  const ready = (name: string, isReady: () => Promise<boolean>) =>
    until(async () => {
      const child = running.get(name)
      if (child && child.exitCode === null && child.signalCode === null) return isReady()
      throw new Error(
        `${name} ended: ${await readFile(at('log', `${name}.log`), 'utf8').catch(() => 'no log')}`,
      )
    })

  const startController = async () => {
    start('slurmctld', 'slurmctld', ['-D', '-f', env.SLURM_CONF])
    await ready('slurmctld', async () => (await answer('scontrol', 'ping')).includes('is UP'))
  }
  const startNode = async (name: string) => {
    start(name, 'slurmd', ['-D', '-f', env.SLURM_CONF, '-N', name])
    await ready(name, async () =>
      /^(idle|mix|alloc)/.test(await answer('sinfo', '-h', '-n', name, '-o', '%t')),
    )
  }
  const stop = async () => {
    // On SIGTERM, a node whose job has just ended would wait forever to report it to the controller.
    await Promise.all(names.map((name) => kill(name, 'SIGKILL')))
    await kill('slurmctld', 'SIGTERM')
    for (const name of names) await endProcesses(at('log', `${name}.log`), `SLURM_CONF=${env.SLURM_CONF}\0`)
    for (const name of ['slurmdbd', 'mariadb', 'munged']) await kill(name, 'SIGTERM')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  try {
    const files = ['key', 'pid', 'log', 'seed'].map((file) => `--${file}-file=${at(`munge.${file}`)}`)
    start('munged', 'munged', ['-F', `--socket=${at('munge.sock')}`, ...files])
    await ready('munged', async () => (await readdir(folder)).includes('munge.sock'))
    if (accounting) {
      const ports = { database, accounting: dbd }
      await startAccounting({ folder, cluster: `c${controllerPort}`, ports, start, ready, answer })
    }
    await startController()
    await Promise.all(names.map(startNode))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    env,
    workdir: at('work'),
    killController: () => kill('slurmctld', 'SIGKILL'),
    startController,
    killNode: async (name) => {
      await kill(name, 'SIGKILL')
      await endProcesses(
        at('log', `${name}.log`),
        `SLURM_CONF=${env.SLURM_CONF}\0`,
        `SLURMD_NODENAME=${name}\0`,
      )
    },
    startNode,
    stop,
  }
}

/**
 * Kills the remaining processes of a node: its step daemons, which are not our children but have its log open, and
 * those of its jobs, which have its name in their environment.
 */
async function endProcesses(log: string, ...environment: string[]): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const output = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    const job = environment.every((variable) => output.includes(variable))
    if (!job && !(await hasOpen(pid, log))) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // The process has already ended.
    }
    await until(() => hasEnded(pid))
  }
}

async function hasOpen(pid: string, file: string): Promise<boolean> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  return links.includes(file)
}

/** Whether a process has ended; zombies count as ended. */
const hasEnded = async (pid: string) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return stat === '' || /^\d+ \(.*\) [ZX]/s.test(stat)
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject))

/** Ports below the ephemeral range, so that no outgoing connection takes one meanwhile. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(10_000, 30_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
