import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusterFacts, startCloudCluster, type CloudCluster } from '../../test/support/machines/cloud-cluster'
import type { TestMachine } from '../../test/support/machines/machines'
import { until } from '../../test/support/until'

// Runs the scripts on machines with their own systemd, as cloud images have it: daemons are services instead of
// processes.

let cluster: CloudCluster
let node: TestMachine
beforeAll(async () => {
  cluster = await startCloudCluster(clusterFacts(), 'systemd')
  node = await cluster.node('node1')
  await cluster.ready(node)
})
afterAll(() => cluster.stop())

const active = async (machine: TestMachine, ...units: string[]) =>
  (await machine.run(['systemctl', 'is-active', ...units])).stdout.trim().split('\n')

test('the daemons are services, and run a job', async () => {
  expect(await active(cluster.head, 'munge', 'slurmctld', 'flotilla')).toEqual(['active', 'active', 'active'])
  expect(await active(node, 'munge', 'slurmd', 'flotilla')).toEqual(['active', 'active', 'active'])
  expect((await cluster.head.run(['srun', '-w', 'node1', 'hostname'])).stdout).toBe('node1\n')
})

test('a cluster that is stopped and started again runs jobs as before', async () => {
  await node.shutDown()
  await cluster.head.shutDown()
  // The node boots first, and has to wait for its head node.
  await node.powerOn()
  await cluster.head.powerOn()
  await until(
    async () => (await cluster.head.run(['sinfo', '-h', '-n', 'node1', '-o', '%T'])).stdout === 'idle\n',
  )
  expect((await cluster.head.run(['srun', '-w', 'node1', 'hostname'])).stdout).toBe('node1\n')
  // Setup steps that were done once are not repeated.
  expect(await active(cluster.head, 'flotilla-setup')).toEqual(['inactive'])
})

test('a daemon that is killed is restarted', async () => {
  const pid = async () =>
    (
      await cluster.head.run(['systemctl', 'show', '--property=MainPID', '--value', 'slurmctld'])
    ).stdout.trim()
  const killed = await pid()
  await cluster.head.run(['systemctl', 'kill', '--signal=KILL', 'slurmctld'])
  // The killed daemon may still respond, and would lose the job submitted below.
  await until(async () => !['0', killed].includes(await pid()))
  await until(async () => (await cluster.head.run(['scontrol', 'ping'])).stdout.includes('is UP'))
  expect((await cluster.head.run(['srun', '-w', 'node1', 'hostname'])).stdout).toBe('node1\n')
})
