import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusterFacts, startCloudCluster, type CloudCluster } from '../../test/support/cloud-cluster'
import { until } from '../../test/support/until'

// There are no GPUs here: their driver's program is a stand-in that notes what it was asked. Slurm is real.

const driver = `#!/bin/sh
echo "$@" >>/tmp/asked
[ "$1" != -L ] || for i in 0 1 2 3; do echo "  MIG 3g.20gb Device $i: (UUID: MIG-part-$i)"; done
`
const gpu = { label: 'GPU nodes', cores: 1, memory: 1, gpuModel: 'NVIDIA A100' }

let cluster: CloudCluster
beforeAll(async () => {
  cluster = await startCloudCluster(
    clusterFacts({
      nodes: [
        { ...gpu, name: 'whole1', gpus: 2, gpuPartitionMode: '' },
        { ...gpu, name: 'cut1', gpus: 2, gpuPartitionMode: 'all-3g.20gb' },
      ],
    }),
  )
})
afterAll(() => cluster.stop())

/** What a job that asks for so many sees of them. */
async function visible(node: string, ...more: string[]) {
  const { stdout } = await cluster.head.run(['srun', '-w', node, ...more, 'env'])
  return /^CUDA_VISIBLE_DEVICES=(.*)$/m.exec(stdout)?.[1]
}

test('GPUs are counted by their kind, and a node without a driver says so', async () => {
  const node = await cluster.node('whole1')
  await cluster.ready(node)
  expect(await cluster.status(node)).toMatchObject({
    warnings: [expect.stringContaining('no driver for the GPUs')],
  })
  expect(await visible('whole1', '--gres=gpu:a100:1', '--constraint=GPU_nodes')).toBe('0')
  expect(await visible('whole1', '--gres=gpu:2')).toBe('0,1')
  expect((await cluster.head.run(['srun', '-w', 'whole1', '--gres=gpu:3', 'true'])).code).not.toBe(0)
})

test('the parts of cut GPUs are handed to jobs by their names', async () => {
  const node = await cluster.node('cut1')
  await node.run(['sh', '-c', 'cat >/usr/local/bin/nvidia-smi; chmod 755 /usr/local/bin/nvidia-smi'], {
    stdin: driver,
  })
  await until(async () => (await node.run(['test', '-s', '/var/lib/flotilla/status.json'])).code === 0)
  await cluster.ready(node)
  expect((await node.run(['cat', '/tmp/asked'])).stdout).toContain('mig -cgi 3g.20gb,3g.20gb -C\n')
  expect(await visible('cut1', '--gres=gpu:3g.20gb:3')).toBe('MIG-part-0,MIG-part-1,MIG-part-2')
})
