import { expect, it } from 'vitest'
import { clusterOf, deploymentOf } from '../../test/support/modules/deployment'
import { cloudProviders } from './registry'
import { variables } from './gcp/variables'
import { everyNode, priceOf } from './price'

it('only groups that support accelerators get those of the nodes', async () => {
  const cluster = clusterOf('gcp')
  const { node } = cluster.data
  const [group] = node.group
  if (!group) throw new Error('the sample has a group')
  node.group = [
    { ...group, instance_id: 'n1-standard-16', count: 1 },
    { ...group, instance_id: 'c3-standard-44', count: 2 },
  ]
  node.accelerator_type = 'nvidia-tesla-t4'
  node.accelerator_count = 2
  const catalog = await cloudProviders.gcp.catalog()
  const nodes = Object.values(variables(deploymentOf(cluster, catalog)).nodes)
  expect(nodes.map((one) => [one.machine_type, one.accelerator_type, one.accelerator_count])).toEqual([
    ['n1-standard-16', 'nvidia-tesla-t4', 2],
    ['c3-standard-44', '', 0],
    ['c3-standard-44', '', 0],
  ])
  const { parts } = priceOf(catalog, cluster.data, { head: true, nodes: everyNode(cluster.data) }, null)
  expect(parts.find(({ what }) => what.startsWith('accelerator'))).toMatchObject({ count: 2 })
})
