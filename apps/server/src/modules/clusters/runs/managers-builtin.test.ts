import { prepare } from '../../../../test/support/console/manager'
import { managerBehaviors } from '../../../../test/support/console/managers'

managerBehaviors('the built-in executor', () =>
  prepare({
    data: {
      manager: 'none',
      transport: 'local',
      virtualNodes: { prefix: 'node', count: 2, cores: 4, gpus: 2 },
    },
    nodes: ['node1', 'node2'],
    printNodes: 'echo $FLOTILLA_NODES',
    task: 'FLOTILLA_ARRAY_TASK',
    gpuVariable: 'CUDA_VISIBLE_DEVICES',
    shortLimit: '00:00:04',
    shortNodes: 2,
    real: true,
  }),
)
