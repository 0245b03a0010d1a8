import type { HeadDisk } from './input'

/** A command that the console runs on the head node, with its own account. Secrets are passed on stdin. */
export interface MachineCommand {
  argv: string[]
  stdin?: string
}

const root = (...argv: string[]) => ['sudo', '-n', ...argv]
const tool = (name: string, ...argv: string[]) => root(`/usr/local/sbin/flotilla-${name}`, ...argv)

/** Creates the account or changes its key; when the command returns, every running node has the change. */
export const addAccount = (name: string, uid: number, publicKey: string): MachineCommand => ({
  argv: tool('account', 'add', name, String(uid), publicKey),
})
export const removeAccount = (name: string, withFiles: boolean): MachineCommand => ({
  argv: tool('account', 'remove', name, ...(withFiles ? ['with-files'] : [])),
})

/**
 * Takes effect on the head node at once; nodes follow, and report the result in
 * /srv/flotilla-inbox/reports/<node>.packages.
 */
export const editPackages = (add: string[], remove: string[]): MachineCommand => ({
  argv: tool('packages', 'cluster'),
  stdin: [...remove.map((name) => `-${name}\n`), ...add.map((name) => `+${name}\n`)].join(''),
})

export const attachDisk = ({ name, size, hints }: HeadDisk): MachineCommand => ({
  argv: tool('disk', 'attach', name, String(size || 1), ...hints),
})
/** To be run before the cloud detaches the disk. */
export const detachDisk = (name: string): MachineCommand => ({ argv: tool('disk', 'detach', name) })

/** `serverConfig` contains all keys inline; `clients` is the network of the VPN clients, such as 10.8.0.0/24. */
export const openvpnOn = (clients: string, serverConfig: string): MachineCommand => ({
  argv: tool('openvpn', 'on', clients),
  stdin: serverConfig,
})
export const openvpnOff = (): MachineCommand => ({ argv: tool('openvpn', 'off') })

/** To be run after nodes were added or removed, or bursting was changed. */
export const configureSlurm = (slurmConf: string): MachineCommand => ({
  argv: tool('slurm', 'configure'),
  stdin: slurmConf,
})
/** Slurm requests the nodes as if jobs were waiting for them. */
export const wakeNodes = (names: string[]): MachineCommand => ({ argv: tool('slurm', 'wake', ...names) })
/** Slurm considers the nodes powered down, whatever their previous state. */
export const sleepNodes = (names: string[]): MachineCommand => ({ argv: tool('slurm', 'sleep', ...names) })
/** The nodes did not start: their jobs are requeued, and none is sent to them until they are allowed again. */
export const failNodes = (names: string[], reason: string): MachineCommand => ({
  argv: tool('slurm', 'fail', reason, ...names),
})
export const allowNodes = (names: string[]): MachineCommand => ({ argv: tool('slurm', 'allow', ...names) })
