import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusterFacts, startCloudCluster, type CloudCluster } from '../../test/support/machines/cloud-cluster'
import type { TestMachine } from '../../test/support/machines/machines'
import { until } from '../../test/support/until'

// The scripts on machines with a systemd of their own, as clouds' images have it: services instead of processes.

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
  // The node comes first, and has to wait for its head node.
  await node.powerOn()
  await cluster.head.powerOn()
  await until(
    async () => (await cluster.head.run(['sinfo', '-h', '-n', 'node1', '-o', '%T'])).stdout === 'idle\n',
  )
  expect((await cluster.head.run(['srun', '-w', 'node1', 'hostname'])).stdout).toBe('node1\n')
  // What was done once is not done again.
  expect(await active(cluster.head, 'flotilla-setup')).toEqual(['inactive'])
})

test('a daemon that is killed comes again', async () => {
  const pid = async () =>
    (
      await cluster.head.run(['systemctl', 'show', '--property=MainPID', '--value', 'slurmctld'])
    ).stdout.trim()
  const killed = await pid()
  await cluster.head.run(['systemctl', 'kill', '--signal=KILL', 'slurmctld'])
  // The one that is killed may still answer, and would lose the job of the next lines.
  await until(async () => !['0', killed].includes(await pid()))
  await until(async () => (await cluster.head.run(['scontrol', 'ping'])).stdout.includes('is UP'))
  expect((await cluster.head.run(['srun', '-w', 'node1', 'hostname'])).stdout).toBe('node1\n')
})
