import { SPOOL_FOLDER } from '../../../src/burst/spool'
import type { Bursting, ClusterFacts } from '../../../src/cloud-init/input'
import { readStatus, type MachineStatus } from '../../../src/cloud-init/status'
import { seed } from '../../../src/cloud-init/user-data'
import { startNetwork, type Place, type TestMachine, type TestNetwork } from './machines'
import { serveNfs, standInForNfs } from './nfs'
import { until } from '../until'

/** The facts of a small cluster, with overrides. */
export const clusterFacts = (more: Partial<ClusterFacts> = {}): ClusterFacts => ({
  name: 'Test one',
  headName: 'test-head',
  manager: 'slurm',
  share: 'nfs',
  nodes: ['node1', 'node2'].map((name) => ({
    name,
    label: '',
    partition: '',
    cores: 1,
    memory: 1,
    gpus: 0,
    gpuModel: '',
    fabric: 'none' as const,
    gpuPartitionMode: '',
  })),
  bursting: null,
  consoleKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq1JtfsoHEgmVkOY0hlbZ5J4kWxb3GqVPXfFeJp0T3c console'],
  joinKey: 'k'.repeat(48),
  networks: [],
  mounts: [],
  packages: [],
  gpuSoftware: 'none',
  provisionScript: '',
  rhelActivationKey: '',
  rhelOrganization: '',
  torqueSource: null,
  vnc: { tokenAuthentication: false, remoteClient: false },
  metadata: 'root',
  ...more,
})

/** The shortest bursting times that still fit the intervals of the controller. */
export const quickBursting = (more: Partial<Bursting> = {}): Bursting => ({
  idleS: 10,
  resumeTimeoutS: 120,
  suspendTimeoutS: 5,
  keep: [],
  ...more,
})

export interface CloudCluster {
  head: TestMachine
  /** Boots a machine of this name and starts its setup. */
  node(name: string): Promise<TestMachine>
  /** The head node's spool of requests, as a folder of this machine. */
  spool: string
  status(machine: TestMachine): Promise<MachineStatus | null>
  ready(machine: TestMachine): Promise<void>
  onRouter: TestNetwork['onRouter']
  stop(): Promise<void>
}

/**
 * The setup steps that are skipped: many kernels lack NFS, so the shared folders are bind-mounted into every machine,
 * and the packages are those of this machine.
 */
const without = 'install_base restrict_metadata share_folders mount_shared install_mpi'
const dropIns = '/etc/systemd/system/flotilla-setup.service.d'
const control = ['/srv/flotilla', '/srv/flotilla-inbox', '/srv/flotilla-secrets']
const shared = [...control, '/home', '/opt/shared']

/** A network like a cloud's, with real firewalls, where nodes mount folders over (a stand-in for) NFS. */
interface CloudNetwork {
  /** The place of each machine by name. */
  places: Record<string, Place>
  /** A script that prepares every machine, as its image would. */
  image?: string
}

/** A cluster of machines that are namespaces, each set up by the same script that cloud-init runs. */
export async function startCloudCluster(
  cluster: ClusterFacts,
  init: 'systemd' | 'plain' = 'plain',
  cloud?: CloudNetwork,
): Promise<CloudCluster> {
  const network = await startNetwork(init)
  const boot = async (name: string, folders: string[]) => {
    const machine = await network.boot(name, folders, cloud?.places[name])
    if (cloud) await standInForNfs(machine)
    const { code, stderr } = await machine.run(['sh', '-ec', cloud?.image ?? ''])
    if (code !== 0) throw new Error(`${name}: ${stderr}`)
    return machine
  }
  const folders = cluster.share === 'nfs' ? shared : control
  const leftOut = cloud ? 'install_base' : without
  const startSetup = async (machine: TestMachine, text: string, headAddress: string) => {
    for (const [file, content] of [
      ['head', headAddress],
      ['networks', cluster.networks.join(' ')],
    ] as const)
      await machine.run(['sh', '-c', 'mkdir -p /etc/flotilla; cat >"/etc/flotilla/$0"', file], {
        stdin: `${content}\n`,
      })
    // If systemd runs the setup, the drop-in tells it which steps to skip.
    const dropIn = `[Service]\nEnvironment="FLOTILLA_WITHOUT=${leftOut}"\n`
    await machine.run(['sh', '-c', `mkdir -p ${dropIns}; cat >${dropIns}/test.conf`], { stdin: dropIn })
    await machine.run(['sh', '-c', 'cat >/tmp/seed; setsid sh /tmp/seed </dev/null >/tmp/seed.log 2>&1 &'], {
      stdin: text,
      env: { FLOTILLA_WITHOUT: leftOut },
    })
  }
  const status = async (machine: TestMachine) =>
    readStatus((await machine.run(['cat', '/var/lib/flotilla/status.json'])).stdout)
  const ready = async (machine: TestMachine) => {
    const last = await until(async () => {
      const now = await status(machine)
      return now?.state === 'working' ? null : now
    })
    if (last.state === 'ready') return
    const log = (await machine.run(['cat', '/var/log/flotilla/setup.log'])).stdout
    throw new Error(`${machine.name}: ${last.step}: ${last.message}\n${log}`)
  }
  try {
    const head = await boot(cluster.headName, [...folders, SPOOL_FOLDER])
    if (cloud) await serveNfs(head)
    await startSetup(head, seed({ cluster, machine: { role: 'head', address: '', disks: [] } }), '')
    await ready(head)
    return {
      head,
      spool: network.place(SPOOL_FOLDER),
      status,
      ready,
      stop: network.stop,
      onRouter: network.onRouter,
      async node(name) {
        const machine = await boot(name, cloud ? [] : folders)
        const headAddress = head.address
        await startSetup(
          machine,
          seed({ cluster, machine: { role: 'node', name, headAddress } }),
          headAddress,
        )
        return machine
      },
    }
  } catch (error) {
    await network.stop()
    throw error
  }
}
