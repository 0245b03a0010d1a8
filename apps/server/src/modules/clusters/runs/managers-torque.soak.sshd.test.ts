import { mkdtemp, rm, rmdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { prepare, type Manager, type Prepared } from '../../../../test/support/console/manager'
import { managerBehaviors } from '../../../../test/support/console/managers'
import { startSshd } from '../../../../test/support/machines/sshd'
import { installTorque, type ReplayedTorque } from '../../../../test/support/schedulers/torque/install'

const newFolder = () => mkdtemp(path.join(os.tmpdir(), 'flotilla-test-torque-'))
const common = (torque: ReplayedTorque): Omit<Manager, 'data'> => ({
  nodes: ['tn01', 'tn02'],
  printNodes: 'cat $PBS_NODEFILE',
  task: 'PBS_ARRAYID',
  gpuVariable: 'PBS_GPUFILE',
  shortLimit: '00:00:30',
  shortNodes: 2,
  real: false,
  power: {
    off: async (node) => torque.setNode(node, 'down'),
    on: async (node) => torque.setNode(node, 'up'),
  },
})

async function local(): Promise<Prepared> {
  const folder = await newFolder()
  const torque = await installTorque(folder)
  return prepare({
    ...common(torque),
    data: { manager: 'torque', transport: 'local' },
    operated: null,
    env: { PATH: `${torque.bin}:${process.env.PATH ?? ''}`, HOME: folder },
    stop: () => rm(folder, { recursive: true, force: true }),
  })
}

async function overSsh(): Promise<Prepared> {
  const folder = await newFolder()
  const [sshd, torque, asRoot] = await Promise.all([
    startSshd(),
    installTorque(folder),
    installTorque(folder, 'root'),
  ])
  const { port, username, privateKey } = sshd
  const data = (binFolder: string) => ({
    manager: 'torque',
    transport: 'ssh',
    head: { host: '127.0.0.1', port, username, key: 'given', privateKey, binFolder },
  })
  return prepare({
    ...common(torque),
    data: data(torque.bin),
    operated: data(asRoot.bin),
    stop: async () => {
      await sshd.remove()
      await rm(folder, { recursive: true, force: true })
      await rmdir(path.join(os.homedir(), 'flotilla')).catch(() => undefined)
    },
  })
}

managerBehaviors('Torque as recorded, over SSH', overSsh)
// Outside the soak, Slurm's tests cover this machine.
managerBehaviors('Torque as recorded, on this machine', local)
