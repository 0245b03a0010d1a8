import { managerBehaviours } from './managers'
import { startSlurm } from './slurm'

managerBehaviours('Slurm on this machine', async () => {
  const slurm = await startSlurm({ nodes: 2, cpus: 4, gpus: 2 })
  return {
    data: { manager: 'slurm', transport: 'local', slurmConf: slurm.env.SLURM_CONF },
    // Where jobs leave their output.
    env: { HOME: slurm.workdir },
    nodes: ['n1', 'n2'],
    printNodes: 'echo $(scontrol show hostnames)',
    task: 'SLURM_ARRAY_TASK_ID',
    gpuVariable: 'SLURM_JOB_GPUS',
    shortLimit: '00:01:00',
    real: true,
    power: { off: slurm.killNode, on: slurm.startNode },
    stop: slurm.stop,
  }
})
