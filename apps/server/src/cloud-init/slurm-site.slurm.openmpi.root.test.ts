import { bandwidthScript } from '@flotilla/contract/jobs/bandwidth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clusterFacts, startCloudCluster, type CloudCluster } from '../../test/support/machines/cloud-cluster'
import type { TestMachine } from '../../test/support/machines/machines'
import { soakIt } from '../../test/support/soak'
import { until } from '../../test/support/until'

// A Slurm installation as sites use it, set up by cloud-init's own scripts. There are no GPUs here: a stand-in for the
// driver's program records its arguments. Slurm and its database are real.

const driver = `#!/bin/sh
echo "$@" >>/tmp/asked
[ "$1" != -L ] || for gpu in 0 1; do
  echo "GPU $gpu: NVIDIA A100 (UUID: GPU-$gpu)"
  for part in 0 1; do echo "  MIG 3g.20gb Device $part: (UUID: MIG-part-$((2 * gpu + part)))"; done
done
`
const gpu = {
  label: 'GPU nodes',
  partition: 'GPU nodes',
  fabric: 'none' as const,
  cores: 1,
  memory: 1,
  gpuModel: 'NVIDIA A100',
}

let cluster: CloudCluster
let whole1: TestMachine
beforeAll(async () => {
  cluster = await startCloudCluster(
    clusterFacts({
      nodes: [
        { ...gpu, name: 'whole1', gpus: 2, gpuPartitionMode: '' },
        { ...gpu, name: 'whole2', gpus: 2, gpuPartitionMode: '' },
        { ...gpu, name: 'cut1', gpus: 2, gpuPartitionMode: 'all-3g.20gb' },
      ],
    }),
  )
})
beforeAll(async () => {
  whole1 = await cluster.node('whole1')
})
afterAll(() => cluster.stop())

/** The GPUs that a job with these options sees. */
async function visible(node: string, ...more: string[]) {
  const { stdout } = await cluster.head.run(['srun', '-w', node, ...more, 'env'])
  return /^CUDA_VISIBLE_DEVICES=(.*)$/m.exec(stdout)?.[1]
}

const installDriver = (node: TestMachine, text: string) =>
  node.run(['sh', '-c', 'cat >/usr/local/bin/nvidia-smi; chmod 755 /usr/local/bin/nvidia-smi'], {
    stdin: text,
  })
const slurmNode = async (name: string) =>
  (await cluster.head.run(['scontrol', '-o', 'show', 'node', name])).stdout
const checkHealth = (node: TestMachine) => node.run(['/usr/local/lib/flotilla/health'])

test('a node whose driver does not respond gets no jobs and reports why, until it responds', async () => {
  const node = whole1
  await cluster.ready(node)
  const missing = 'The NVIDIA driver is not installed'
  expect(await cluster.status(node)).toMatchObject({ warnings: [expect.stringContaining(missing)] })
  expect(await slurmNode('whole1')).toMatch(new RegExp(`State=IDLE.DRAIN .*Reason=Health check: ${missing}`))
  expect((await cluster.head.run(['srun', '--immediate=2', '-w', 'whole1', 'true'])).code).not.toBe(0)

  await installDriver(node, driver)
  await checkHealth(node)
  await until(async () => (await slurmNode('whole1')).includes('State=IDLE '))
  await installDriver(node, '#!/bin/sh\necho "NVIDIA-SMI has failed"; exit 9\n')
  await checkHealth(node)
  expect(await slurmNode('whole1')).toContain(
    'Reason=Health check: The NVIDIA driver does not respond: NVIDIA-SMI has failed',
  )
  await installDriver(node, driver)
  await checkHealth(node)
})

soakIt('a node drained by an admin is not resumed by the health check', async () => {
  const node = await cluster.node('whole2')
  await installDriver(node, driver)
  await cluster.ready(node)
  await cluster.head.run(['scontrol', 'update', 'nodename=whole2', 'state=drain', 'reason=new disk'])
  await checkHealth(node)
  expect(await slurmNode('whole2')).toMatch(/State=IDLE.DRAIN .*Reason=new disk/)
})

test('nodes have no configuration of their own: they get it from the controller', async () => {
  const files = (await whole1.run(['sh', '-c', 'ls /etc/slurm; ls /run/slurm/conf/'])).stdout.split('\n')
  expect(files.filter((file) => file.endsWith('.conf') && file !== 'plugstack.conf')).toEqual([
    'cgroup.conf',
    'gres.conf',
    'slurm.conf',
  ])
  // Commands that jobs run on the node also find it.
  expect((await whole1.run(['scontrol', 'ping'])).stdout).toContain('is UP')
})

test('jobs are accounted in the database, with the account of the user', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq1JtfsoHEgmVkOY0hlbZ5J4kWxb3GqVPXfFeJp0T3c anna'
  const added = await cluster.head.run(['/usr/local/sbin/flotilla-account', 'add', 'anna', '20001', key])
  expect(added).toMatchObject({ code: 0 })
  const asAnna = ['runuser', '-u', 'anna', '--', 'srun', '-w', 'whole1', '--gres=gpu:1', '--chdir=/home/anna']
  expect(await cluster.head.run([...asAnna, 'true'])).toMatchObject({ code: 0 })
  const format = '--format=User,Account,Cluster,Partition,State,AllocTRES%100'
  const record = await until(async () => {
    const { stdout } = await cluster.head.run(['sacct', '-X', '-n', '-P', '--allusers', '-u', 'anna', format])
    return stdout.includes('COMPLETED') ? stdout.trim() : null
  })
  expect(record).toMatch(/^anna\|users\|testone\|batch\|COMPLETED\|.*gres\/gpu=1/)
  // Only the head node's daemon can access the database.
  const database = await cluster.head.run(['sh', '-c', 'stat -c "%U %a" /etc/slurm/slurmdbd.conf; ss -ltn'])
  expect(database.stdout).toMatch(/^slurm 600\n/)
  expect(database.stdout).not.toContain(':3306')
})

soakIt('the built-in network test runs between two nodes', async () => {
  await cluster.head.run(['scontrol', 'update', 'nodename=whole2', 'state=resume'])
  await cluster.head.run(['sh', '-c', 'cat >/home/anna/bandwidth.sh'], { stdin: bandwidthScript })
  const options = ['--wait', '-N2', '--ntasks-per-node=1', '-w', 'whole1,whole2', '-D', '/home/anna']
  // Both nodes are this machine, so a waiting task has to yield the CPU to the other.
  const yields = ['env', 'OMPI_MCA_mpi_yield_when_idle=1']
  const submit = ['runuser', '-u', 'anna', '--', ...yields, 'sbatch', ...options]
  const job = await cluster.head.run([...submit, '-o', '/home/anna/out', '/home/anna/bandwidth.sh'])
  const output = (await cluster.head.run(['cat', '/home/anna/out'])).stdout
  expect(job, output).toMatchObject({ code: 0 })
  expect(output).toMatch(/^Between whole\d and whole\d\n/m)
  const rows = output.split('\n').filter((line) => /^ *\d+ +[\d.]+ +[\d.]+$/.test(line))
  expect(rows.map((row) => Number(row.trim().split(/ +/)[0]))).toEqual([
    1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304,
  ])
})

test('the head node reports whether control groups cannot be used', async () => {
  const pure = (await cluster.head.run(['grep', '-cv', '^0::', '/proc/self/cgroup'])).stdout === '0\n'
  const says = expect.stringContaining('Jobs are not confined to their cores, memory and GPUs')
  expect((await cluster.status(cluster.head))?.warnings).toEqual(pure ? [] : [says])
})

test('GPUs are counted by type', async () => {
  expect(await visible('whole1', '--gres=gpu:a100:1', '--constraint=GPU_nodes')).toBe('0')
  expect(await visible('whole1', '--gres=gpu:2', '--partition=GPU_nodes')).toBe('0,1')
  expect((await cluster.head.run(['srun', '-w', 'whole1', '--gres=gpu:3', 'true'])).code).not.toBe(0)
})

soakIt('GPU partitions are passed to jobs by their UUIDs', async () => {
  const node = await cluster.node('cut1')
  await installDriver(node, driver)
  await until(async () => (await node.run(['test', '-s', '/var/lib/flotilla/status.json'])).code === 0)
  await cluster.ready(node)
  expect((await node.run(['cat', '/tmp/asked'])).stdout).toContain('mig -cgi 3g.20gb,3g.20gb -C\n')
  expect(await visible('cut1', '--gres=gpu:3g.20gb:3')).toBe('MIG-part-0,MIG-part-1,MIG-part-2')
})
