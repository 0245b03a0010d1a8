import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { managerBehaviours } from './managers'
import { installTorque } from './torque/install'

managerBehaviours('Torque as recorded, on this machine', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-torque-'))
  const torque = await installTorque(folder)
  return {
    data: { manager: 'torque', transport: 'local' },
    env: { PATH: `${torque.bin}:${process.env.PATH ?? ''}`, HOME: folder },
    nodes: ['tn01', 'tn02'],
    printNodes: 'cat $PBS_NODEFILE',
    task: 'PBS_ARRAYID',
    gpuVariable: 'PBS_GPUFILE',
    shortLimit: '00:00:30',
    real: false,
    power: {
      off: async (node) => torque.setNode(node, 'down'),
      on: async (node) => torque.setNode(node, 'up'),
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  }
})
