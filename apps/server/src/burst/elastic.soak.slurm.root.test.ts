import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  clusterFacts,
  quickBursting,
  startCloudCluster,
  type CloudCluster,
} from '../../test/support/machines/cloud-cluster'
import type { TestMachine } from '../../test/support/machines/machines'
import { until } from '../../test/support/until'
import { allowNodes, failNodes, wakeNodes, type MachineCommand } from '../cloud-init/commands'
import { testLocal } from '../../test/support/machines/local'
import { acknowledge, readRequests, completed, nodeTargets, type NodeTarget } from './spool'

// Slurm's own power saving, with nodes that are namespaces of this machine. The test plays the console: it reads the
// spool, starts machines and stops them.

let cluster: CloudCluster
let files: ReturnType<ReturnType<typeof testLocal>['files']>
beforeAll(async () => {
  cluster = await startCloudCluster(clusterFacts({ bursting: quickBursting() }))
  files = testLocal().files(cluster.spool)
})
afterAll(() => cluster.stop())

const outputOf = async (...argv: string[]) => {
  const { code, stdout, stderr } = await cluster.head.run(argv)
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  return stdout.trim()
}
const asConsole = async ({ argv }: MachineCommand) =>
  outputOf('setpriv', '--reuid', 'flotilla', '--regid', 'flotilla', '--init-groups', ...argv)
const stateOf = async (node: string) =>
  /State=(\S+)/.exec(await outputOf('scontrol', '-o', 'show', 'node', node))?.[1] ?? ''

/** Waits until this action is Slurm's latest request for the node. */
const requested = (node: string, action: NodeTarget['action']): Promise<NodeTarget> =>
  until(async () => {
    const { requests } = await readRequests(files)
    return nodeTargets(requests).find((each) => each.node === node && each.action === action)
  })
const done = async (...nodes: string[]) =>
  acknowledge(files, completed((await readRequests(files)).requests, new Set(nodes)))

describe('elastic nodes', () => {
  let machine: TestMachine

  test('that are not running are listed as powered down', async () => {
    expect(await outputOf('sinfo', '-N', '-h', '-o', '%N %T')).toBe('node1 idle~\nnode2 idle~')
  })

  test('are started when a job waits for them, and run it', async () => {
    const id = await outputOf(
      'sbatch',
      '--parsable',
      '-w',
      'node1',
      '-o',
      '/opt/shared/first',
      '--wrap',
      'hostname',
    )
    expect((await requested('node1', 'resume')).jobs).toEqual([Number(id)])
    machine = await cluster.node('node1')
    await cluster.ready(machine)
    await done('node1')
    await until(async () => (await cluster.head.run(['cat', '/opt/shared/first'])).stdout === 'node1\n')
    expect((await readRequests(files)).requests).toEqual([])
  })

  test('are stopped when they have idled long enough, and can be started again', async () => {
    await requested('node1', 'suspend')
    await machine.powerOff()
    await done('node1')
    await until(async () => (await stateOf('node1')).includes('POWERED_DOWN'))
    await outputOf('sbatch', '-w', 'node1', '-o', '/opt/shared/second', '--wrap', 'hostname')
    await requested('node1', 'resume')
    // Another machine with the same name, at another address.
    const next = await cluster.node('node1')
    expect(next.address).not.toBe(machine.address)
    await done('node1')
    await until(async () => (await cluster.head.run(['cat', '/opt/shared/second'])).stdout === 'node1\n')
    machine = next
  })

  test('that someone starts manually are accepted, although Slurm did not request them', async () => {
    const second = await cluster.node('node2')
    await cluster.ready(second)
    expect(await outputOf('srun', '-w', 'node2', 'hostname')).toBe('node2')
    // Whether Slurm also requests the node depends on which came first, the job or the node.
    await requested('node2', 'suspend')
    await second.powerOff()
    await done('node2')
  })

  test('that fail to start are drained with their jobs requeued, until they are allowed again', async () => {
    await until(async () => (await stateOf('node2')).includes('POWERED_DOWN'))
    const id = await outputOf(
      'sbatch',
      '--parsable',
      '-w',
      'node2',
      '-o',
      '/opt/shared/third',
      '--wrap',
      'hostname',
    )
    await requested('node2', 'resume')
    await asConsole(
      failNodes(['node2'], 'Flotilla: the cloud has no such machines now, said "quota" $(reboot)'),
    )
    expect(await stateOf('node2')).toContain('DRAIN')
    expect(await outputOf('sinfo', '-h', '-n', 'node2', '-o', '%E')).toContain(
      'no such machines now, said "quota" $(reboot)',
    )
    expect(await outputOf('squeue', '-h', '-j', id, '-o', '%T')).toBe('PENDING')
    // Slurm suspends the node, which may be partly started.
    await requested('node2', 'suspend')
    await done('node2')
    await until(async () => (await stateOf('node2')).includes('POWERED_DOWN'))
    expect(await stateOf('node2')).toContain('DRAIN')
    await asConsole(allowNodes(['node2']))
    await outputOf('scontrol', 'update', `jobid=${id}`, 'starttime=now')
    await requested('node2', 'resume')
    await outputOf('scancel', id)
  })

  test('can be requested before any job waits', async () => {
    await until(async () => /POWERED_DOWN|POWERING_UP/.test(await stateOf('node2')))
    await asConsole(failNodes(['node2'], 'over'))
    await until(async () => (await stateOf('node2')).includes('POWERED_DOWN'))
    await asConsole(allowNodes(['node2']))
    await done('node2')
    await asConsole(wakeNodes(['node2']))
    expect(await requested('node2', 'resume')).toMatchObject({ jobs: [] })
  })
})
