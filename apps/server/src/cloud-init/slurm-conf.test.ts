import { describe, expect, test } from 'vitest'
import { clusterFacts, quickBursting } from '../../test/support/machines/cloud-cluster'
import { gpuCount, gpuType } from './gpus'
import type { PossibleNode } from './input'
import { ranges, slurmConf } from './slurm-conf'

const node = (name: string, more: Partial<PossibleNode> = {}): PossibleNode => ({
  name,
  label: '',
  partition: '',
  cores: 4,
  memory: 16,
  gpus: 0,
  gpuModel: '',
  fabric: 'none',
  gpuPartitionMode: '',
  ...more,
})
const conf = (nodes: PossibleNode[], bursting = true) =>
  slurmConf(
    clusterFacts({ nodes, bursting: bursting ? quickBursting({ idleS: 600, keep: ['node1'] }) : null }),
  )
const line = (text: string, start: string) => text.split('\n').filter((each) => each.startsWith(start))

describe('slurm.conf', () => {
  test('has one line for identical nodes', () => {
    const text = conf([node('node1'), node('node2'), node('node3'), node('big1', { cores: 96, memory: 384 })])
    expect(line(text, 'NodeName=')).toEqual([
      'NodeName=node[1-3] CPUs=4 RealMemory=15144 State=CLOUD',
      'NodeName=big1 CPUs=96 RealMemory=369367 State=CLOUD',
    ])
    expect(line(text, 'DefMemPerCPU=')).toEqual(['DefMemPerCPU=3786'])
  })

  test('lets Slurm request nodes through the spool, and never powers down those to keep', () => {
    const text = conf([node('node1'), node('node2')])
    expect(line(text, 'Suspend')).toEqual([
      'SuspendProgram=/usr/local/lib/flotilla/flotilla-suspend',
      'SuspendTime=600',
      'SuspendTimeout=5',
      'SuspendRate=0',
      'SuspendExcNodes=node1',
    ])
    expect(line(text, 'Resume')).toEqual([
      'ResumeProgram=/usr/local/lib/flotilla/flotilla-resume',
      'ResumeTimeout=120',
      'ResumeRate=0',
    ])
    expect(line(text, 'PrivateData=')).toEqual(['PrivateData=cloud'])
  })

  test('keeps idle nodes if the idle time is 0', () => {
    const text = slurmConf(clusterFacts({ bursting: quickBursting({ idleS: 0 }) }))
    expect(line(text, 'SuspendTime=')).toEqual(['SuspendTime=31536000'])
  })

  test('has no power saving if nodes are only started manually', () => {
    const text = conf([node('node1')], false)
    expect(line(text, 'NodeName=')).toEqual(['NodeName=node1 CPUs=4 RealMemory=15144 State=UNKNOWN'])
    expect(text).not.toMatch(/Suspend|Resume|CLOUD|PrivateData/)
  })

  test('counts GPUs by type, and the partitions of partitioned GPUs', () => {
    const gpu = { gpus: 8, gpuModel: 'NVIDIA A100 40GB' }
    const text = conf([
      node('node1', { ...gpu, label: 'GPU nodes' }),
      node('mig1', { ...gpu, gpuPartitionMode: 'all-1g.5gb' }),
      node('whole1', { ...gpu, gpuPartitionMode: 'all-disabled' }),
    ])
    expect(line(text, 'GresTypes=')).toEqual(['GresTypes=gpu'])
    expect(line(text, 'TaskProlog=')).toHaveLength(1)
    expect(
      line(text, 'NodeName=').map((each) => each.split(' ').find((word) => word.startsWith('Gres'))),
    ).toEqual(['Gres=gpu:a100_40gb:8', 'Gres=gpu:1g.5gb:56', 'Gres=gpu:a100_40gb:8'])
    expect(line(text, 'NodeName=node1')[0]).toContain(' Feature=GPU_nodes ')
  })

  test('has a partition of all nodes, and one for each named group', () => {
    const text = conf([
      node('node1'),
      node('gpu1', { partition: 'GPU nodes' }),
      node('gpu2', { partition: 'GPU nodes' }),
      node('x1', { partition: 'batch' }),
    ])
    expect(line(text, 'PartitionName=').map((each) => each.split(' ').slice(0, 3).join(' '))).toEqual([
      'PartitionName=batch Nodes=ALL Default=YES',
      'PartitionName=GPU_nodes Nodes=gpu[1-2] MaxTime=INFINITE',
      'PartitionName=batch_nodes Nodes=x1 MaxTime=INFINITE',
    ])
  })

  test('does not allocate memory if the memory of a size is unknown', () => {
    const text = conf([node('node1', { memory: 0 }), node('node2')])
    expect(line(text, 'SelectTypeParameters=')).toEqual(['SelectTypeParameters=CR_Core'])
    expect(text).not.toContain('DefMemPerCPU')
  })

  test('is valid without any node', () => {
    expect(line(conf([]), 'NodeName=')).toEqual(['NodeName=none State=FUTURE'])
  })
})

test('the four GPU partition modes of BM.GPU4.8', () => {
  const counts = ['all-disabled', 'all-1g.5gb', 'all-2g.10gb', 'all-3g.20gb'].map((gpuPartitionMode) => {
    const cut = node('node1', { gpus: 8, gpuModel: 'NVIDIA A100', gpuPartitionMode })
    return [gpuType(cut), gpuCount(cut)]
  })
  expect(counts).toEqual([
    ['a100', 8],
    ['1g.5gb', 56],
    ['2g.10gb', 24],
    ['3g.20gb', 16],
  ])
})

test('node names are combined in Slurm’s notation', () => {
  expect(ranges(['node1', 'node2', 'node3', 'node5', 'x7', 'login'])).toBe('node[1-3],node5,x7,login')
  expect(ranges(['node01', 'node02'])).toBe('node01,node02')
})
