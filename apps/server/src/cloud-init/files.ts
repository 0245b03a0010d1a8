import { gpuCount, gpuMaker, isOldGpu } from './gpus'
import type { ClusterFacts, MachineInput, PossibleNode } from './input'
import { accountCommand, accounts } from './scripts/accounts'
import {
  diskCommand,
  openvpnCommand,
  packagesCommand,
  requestCommand,
  slurmCommand,
  taskProlog,
} from './scripts/commands'
import { firewall, guard, guardUnit } from './scripts/firewall'
import { follow } from './scripts/follow'
import { gpuSoftware } from './scripts/gpu'
import { health } from './scripts/health'
import { head as headSteps } from './scripts/head'
import { library } from './scripts/library'
import { fabrics, mpi } from './scripts/mpi'
import { node as nodeSteps } from './scripts/node'
import { setup } from './scripts/setup'
import { slurmHead, slurmNode } from './scripts/slurm'
import { steps } from './scripts/steps'
import { system } from './scripts/system'
import { noManager, torqueHead, torqueNode } from './scripts/torque'
import { environment } from './shell'
import { slurmConf } from './slurm-conf'

export interface MachineFile {
  path: string
  mode: '0600' | '0644' | '0755'
  text: string
}

/** The timeout of a user's script. */
const provisionSeconds = 3600

/** Strips comments, because clouds limit the size of user data. */
const lean = (script: string) => script.replaceAll(/^ *# .*\n/gm, '').replaceAll(/\{ # .*$/gm, '{')
const lib = (name: string, text: string, mode: MachineFile['mode'] = '0755'): MachineFile => ({
  path: `/usr/local/lib/flotilla/${name}`,
  mode,
  text: lean(text),
})
const command = (name: string, text: string): MachineFile => ({
  path: `/usr/local/sbin/flotilla-${name}`,
  mode: '0755',
  text: lean(text),
})
/** Readable only by root, because it contains user input or secrets. */
const fact = (name: string, text: string): MachineFile => ({
  path: `/etc/flotilla/${name}`,
  mode: '0600',
  text,
})

const managers = {
  slurm: { head: slurmHead, node: slurmNode },
  torque: { head: torqueHead, node: torqueNode },
  none: { head: noManager, node: noManager },
}

const unit = `[Unit]
Description=Flotilla machine setup
After=network-online.target
Wants=network-online.target
ConditionPathExists=!/var/lib/flotilla/ready

[Service]
Type=oneshot
ExecStart=/usr/local/lib/flotilla/setup
KillMode=process
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
`

/** Every file that Flotilla writes to a machine before the setup starts. */
export function machineFiles({ cluster, machine }: MachineInput): MachineFile[] {
  const node = machine.role === 'node' ? cluster.nodes.find(({ name }) => name === machine.name) : undefined
  if (machine.role === 'node' && !node) throw new Error(`${machine.name} is not a node of the cluster`)
  const head = machine.role === 'head'
  return [
    fact('machine.env', facts(cluster, node)),
    fact('console.keys', lines(cluster.consoleKeys)),
    fact('join.key', `${cluster.joinKey}\n`),
    fact('packages', lines(cluster.packages.map((name) => `+${name}`))),
    fact(
      'mounts',
      lines(cluster.mounts.map(({ type, source, path, options }) => `${type} ${source} ${path} ${options}`)),
    ),
    fact('provision', cluster.provisionScript.replaceAll('\r\n', '\n')),
    lib('lib.sh', library, '0644'),
    lib('system.sh', system, '0644'),
    lib('firewall.sh', firewall, '0644'),
    lib('steps.sh', steps, '0644'),
    lib(
      'role.sh',
      (node ? nodeSteps + gpuPart(cluster, node) + fabrics[node.fabric] : headSteps) + mpi,
      '0644',
    ),
    lib('manager.sh', managers[cluster.manager][machine.role], '0644'),
    lib('accounts.sh', accounts, '0644'),
    lib('setup', setup),
    lib('follow', follow),
    lib('guard', guard),
    command('packages', packagesCommand),
    { path: '/etc/systemd/system/flotilla-setup.service', mode: '0644', text: unit },
    { path: '/etc/systemd/system/flotilla-guard.service', mode: '0644', text: guardUnit },
    ...(head
      ? [command('account', accountCommand), command('disk', diskCommand), command('openvpn', openvpnCommand)]
      : []),
    ...(machine.role === 'head'
      ? [fact('disks', lines(machine.disks.map(({ name, size, hints }) => [name, size, ...hints].join(' '))))]
      : []),
    ...(cluster.manager === 'slurm' ? slurmFiles(cluster, head) : []),
    ...(cluster.manager === 'torque' ? torqueFiles(cluster, head) : []),
  ]
}

/** Only for nodes that install it, because clouds limit the size of user data. */
const gpuPart = ({ gpuSoftware: wanted }: ClusterFacts, node: PossibleNode | undefined) =>
  node && node.gpus > 0 && gpuMaker(node) === 'nvidia' && wanted !== 'none'
    ? gpuSoftware
    : 'install_gpu_software() { :; }\n'

const slurmFiles = (cluster: ClusterFacts, head: boolean): MachineFile[] =>
  head
    ? [
        fact('slurm.conf', slurmConf(cluster)),
        command('slurm', slurmCommand),
        lib('flotilla-resume', requestCommand),
        lib('flotilla-suspend', requestCommand),
      ]
    : [lib('task-prolog', taskProlog), lib('health', health)]

const torqueFiles = ({ torqueSource, nodes }: ClusterFacts, head: boolean): MachineFile[] => [
  ...(head
    ? [fact('nodes', lines(nodes.map((node) => `${node.name} ${node.cores} ${gpuCount(node)}`)))]
    : []),
  ...(torqueSource
    ? [
        fact('torque.source', torqueSource.file),
        fact('torque.key', torqueSource.key),
        fact('torque.packages', lines(head ? torqueSource.headPackages : torqueSource.nodePackages)),
      ]
    : []),
]

const lines = (texts: (string | number)[]) => texts.map((text) => `${text}\n`).join('')
const yesNo = (value: boolean) => (value ? 'yes' : 'no')

const facts = (cluster: ClusterFacts, node: PossibleNode | undefined) =>
  environment({
    FL_ROLE: node ? 'node' : 'head',
    FL_NAME: node?.name ?? cluster.headName,
    FL_HEAD_NAME: cluster.headName,
    FL_MANAGER: cluster.manager,
    FL_SHARE: cluster.share,
    FL_METADATA: cluster.metadata,
    FL_CORES: node?.cores ?? 0,
    FL_GPUS: node ? gpuCount(node) : 0,
    FL_GPU_CARDS: node?.gpus ?? 0,
    FL_GPU_MAKER: node ? gpuMaker(node) : '',
    FL_GPU_OLD: yesNo(node !== undefined && isOldGpu(node)),
    FL_GPU_SOFTWARE: cluster.gpuSoftware,
    FL_FABRIC: node?.fabric ?? 'none',
    FL_GPU_MODE: node?.gpuPartitionMode ?? '',
    FL_RHEL_KEY: cluster.rhelActivationKey,
    FL_RHEL_ORG: cluster.rhelOrganization,
    FL_VNC: yesNo(cluster.vnc.tokenAuthentication || cluster.vnc.remoteClient),
    FL_VNC_TOKEN: yesNo(cluster.vnc.tokenAuthentication),
    FL_VNC_REMOTE: yesNo(cluster.vnc.remoteClient),
    FL_PROVISION_S: provisionSeconds,
  })
