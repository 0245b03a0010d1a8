import { rmdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { prepare, type Manager, type Prepared } from '../../../../test/support/console/manager'
import { managerBehaviors } from '../../../../test/support/console/managers'
import { startSlurm, type TestSlurm } from '../../../../test/support/schedulers/slurm'
import { soaking } from '../../../../test/support/soak'
import { startSshd } from '../../../../test/support/machines/sshd'

const common = (slurm: TestSlurm): Omit<Manager, 'data'> => ({
  nodes: ['n1', 'n2'],
  printNodes: 'echo $(scontrol show hostnames)',
  task: 'SLURM_ARRAY_TASK_ID',
  gpuVariable: 'SLURM_JOB_GPUS',
  shortLimit: '00:01:00',
  shortNodes: 1,
  real: true,
  power: { off: slurm.killNode, on: slurm.startNode },
})

async function local(): Promise<Prepared> {
  const slurm = await startSlurm({ nodes: 2, cpus: 4, gpus: 2 })
  return prepare({
    ...common(slurm),
    data: { manager: 'slurm', transport: 'local', slurmConf: slurm.env.SLURM_CONF },
    // The folder where jobs write their output.
    env: { HOME: slurm.workdir },
    stop: slurm.stop,
  })
}

async function overSsh(): Promise<Prepared> {
  const [slurm, sshd] = await Promise.all([startSlurm({ nodes: 2, cpus: 4, gpus: 2 }), startSshd()])
  const { port, username, privateKey } = sshd
  return prepare({
    ...common(slurm),
    data: {
      manager: 'slurm',
      transport: 'ssh',
      slurmConf: slurm.env.SLURM_CONF,
      head: { host: '127.0.0.1', port, username, key: 'given', privateKey },
    },
    stop: async () => {
      await sshd.remove()
      await slurm.stop()
      // The folder is in the account's real home, as sshd knows no other; it is removed if no one else uses it.
      await rmdir(path.join(os.homedir(), 'flotilla')).catch(() => undefined)
    },
  })
}

// Slurm's shortest wall time is a minute, and so is the time that it waits for a node: the tests of the other managers
// show what the console makes of both.
managerBehaviors('Slurm on this machine', local, soaking)
// Outside the soak, Torque's tests cover SSH.
if (soaking) managerBehaviors('Slurm over SSH', overSsh)
