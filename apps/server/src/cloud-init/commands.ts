import type { HeadDisk } from './input'

/** What the console runs on the head node, with its own account. Those of a secret take it on stdin. */
export interface MachineCommand {
  argv: string[]
  stdin?: string
}

const root = (...argv: string[]) => ['sudo', '-n', ...argv]
const tool = (name: string, ...argv: string[]) => root(`/usr/local/sbin/flotilla-${name}`, ...argv)

/** Makes the account or changes its key; when it returns, every node that is up has it. */
export const addAccount = (name: string, uid: number, publicKey: string): MachineCommand => ({
  argv: tool('account', 'add', name, String(uid), publicKey),
})
export const removeAccount = (name: string, withFiles: boolean): MachineCommand => ({
  argv: tool('account', 'remove', name, ...(withFiles ? ['with-files'] : [])),
})

/** On the head node at once; nodes follow, and say in /srv/flotilla-inbox/reports/<node>.packages how it went. */
export const editPackages = (add: string[], remove: string[]): MachineCommand => ({
  argv: tool('packages', 'cluster'),
  stdin: [...remove.map((name) => `-${name}\n`), ...add.map((name) => `+${name}\n`)].join(''),
})

export const attachDisk = ({ name, size, hints }: HeadDisk): MachineCommand => ({
  argv: tool('disk', 'attach', name, String(size || 1), ...hints),
})
/** Before the cloud takes the disk away. */
export const detachDisk = (name: string): MachineCommand => ({ argv: tool('disk', 'detach', name) })

/** `serverConfig` has all keys inline; `clients` is the network of its clients, as 10.8.0.0/24. */
export const openvpnOn = (clients: string, serverConfig: string): MachineCommand => ({
  argv: tool('openvpn', 'on', clients),
  stdin: serverConfig,
})
export const openvpnOff = (): MachineCommand => ({ argv: tool('openvpn', 'off') })

/** After nodes were added or taken away, or bursting was changed. */
export const configureSlurm = (slurmConf: string): MachineCommand => ({
  argv: tool('slurm', 'configure'),
  stdin: slurmConf,
})
/** Slurm asks for the nodes as if jobs waited for them. */
export const wakeNodes = (names: string[]): MachineCommand => ({ argv: tool('slurm', 'wake', ...names) })
/** Slurm takes them for ones that are not started, whatever it thought of them. */
export const sleepNodes = (names: string[]): MachineCommand => ({ argv: tool('slurm', 'sleep', ...names) })
/** The nodes did not come: their jobs go back into the queue, and none is sent there until they are allowed again. */
export const failNodes = (names: string[], reason: string): MachineCommand => ({
  argv: tool('slurm', 'fail', reason, ...names),
})
export const allowNodes = (names: string[]): MachineCommand => ({ argv: tool('slurm', 'allow', ...names) })
