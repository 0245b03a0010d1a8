import { managerBehaviours } from './managers'
import { startSlurm } from './slurm'
import { startSshd } from './sshd'

managerBehaviours('Slurm over SSH', async () => {
  const [slurm, sshd] = await Promise.all([startSlurm({ nodes: 2, cpus: 4, gpus: 2 }), startSshd()])
  return {
    data: {
      manager: 'slurm',
      transport: 'ssh',
      slurmConf: slurm.env.SLURM_CONF,
      head: { host: '127.0.0.1', port: sshd.port, username: sshd.username, key: 'given', privateKey: sshd.privateKey },
    },
    nodes: ['n1', 'n2'],
    printNodes: 'echo $(scontrol show hostnames)',
    task: 'SLURM_ARRAY_TASK_ID',
    gpuVariable: 'SLURM_JOB_GPUS',
    shortLimit: '00:01:00',
    real: true,
    power: { off: slurm.killNode, on: slurm.startNode },
    stop: async () => {
      await sshd.remove()
      await slurm.stop()
    },
  }
})
