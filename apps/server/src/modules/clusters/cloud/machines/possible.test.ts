import { expect, it } from 'vitest'
import { clusterOf } from '../../../../../test/support/modules/deployment'
import { cloudProviders } from '../../../../providers/registry'
import type { CloudCluster } from '../../stored-cluster'
import { possibleNodes } from './possible-nodes'

it('counts the parts of partitioned GPUs, as the resource manager does', async () => {
  const { info, data, provider } = clusterOf('oracle')
  const [group] = data.node.group
  if (!group) throw new Error('the sample has a group')
  const gpusIn = async (mode: typeof group.gpu_partition_mode) => {
    group.gpu_partition_mode = mode
    // Only the columns that are read.
    const cluster = { info, data, provider, deployed: null } as unknown as CloudCluster
    const nodes = await possibleNodes({ catalog: () => cloudProviders.oracle.catalog() }, cluster)
    return nodes.map(({ gpus }) => gpus)
  }
  expect(await gpusIn('all-disabled')).toEqual([8, 8])
  expect(await gpusIn('all-1g.5gb')).toEqual([56, 56])
  expect(await gpusIn('all-3g.20gb')).toEqual([16, 16])
})
