import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { clusterFacts } from '../../test/support/machines/cloud-cluster'
import { testFolder } from '../../test/support/folder'
import { machineFiles } from './files'

// The settings with which Slurm confines jobs and starts MPI, for kernels and versions of Slurm other than this
// machine's.

interface System {
  controllers?: string
  membership?: string
  plugin?: string
  libraries?: string[]
  version?: string
}

async function linesOn({
  controllers,
  membership = '0::/\n',
  plugin,
  libraries = [],
  version = '22.05.8',
}: System) {
  const root = await testFolder()
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true })
    await writeFile(path.join(root, file), text)
    await chmod(path.join(root, file), 0o755)
  }
  const machine = { role: 'head' as const, address: '', disks: [] }
  for (const file of machineFiles({ cluster: clusterFacts(), machine })) await write(file.path, file.text)
  await write('proc/self/cgroup', membership)
  if (controllers !== undefined) await write('sys/fs/cgroup/cgroup.controllers', controllers)
  for (const file of [...(plugin ? [plugin] : []), ...libraries]) await write(file, '')
  await write('stand-in/slurmctld', `#!/bin/sh\necho slurm-wlm ${version}\n`)
  const lib = path.join(root, 'usr/local/lib/flotilla')
  const script = `. ${lib}/lib.sh; PATH=${root}/stand-in:$PATH; . ${lib}/manager.sh; has_systemd() { :; }
    whole_conf ${root}/etc/flotilla/slurm.conf | grep -E '^(Proctrack|Task|JobAcctGather|Mpi)'; cgroup_conf; (confine_jobs) 2>&1; true`
  const output = execFileSync('sh', ['-c', script], {
    env: { PATH: process.env.PATH, FL_ROOT: root },
    encoding: 'utf8',
  })
  return output.trim().split('\n')
}

const plugin = 'usr/lib/x86_64-linux-gnu/slurm-wlm/cgroup_v2.so'
const fallback = [
  'ProctrackType=proctrack/linuxproc',
  'TaskPlugin=task/affinity',
  'JobAcctGatherType=jobacct_gather/linux',
]

test('cgroup v2 confines jobs to their cores, memory and devices, as on Debian 12 and Ubuntu 24.04', async () => {
  expect(await linesOn({ controllers: 'cpuset cpu io memory hugetlb pids\n', plugin })).toEqual([
    'ProctrackType=proctrack/cgroup',
    'TaskPlugin=task/cgroup,task/affinity',
    'JobAcctGatherType=jobacct_gather/cgroup',
    'CgroupPlugin=cgroup/v2',
    'IgnoreSystemdOnFailure=yes',
    'ConstrainCores=yes',
    'ConstrainRAMSpace=yes',
    'ConstrainDevices=yes',
  ])
})

test('if the kernel lacks a controller, the others are used and a warning is shown', async () => {
  const lines = await linesOn({ controllers: 'cpuset cpu pids\n', plugin })
  expect(lines).toContain('ConstrainCores=yes')
  expect(lines).not.toContain('ConstrainRAMSpace=yes')
  expect(lines).toContain('JobAcctGatherType=jobacct_gather/linux')
  expect(lines.at(-1)).toBe(
    'Jobs are only partly confined: this kernel has no cgroup v2 controller for memory',
  )
})

test('Slurm without the cgroup v2 plugin runs without control groups, as on Ubuntu 22.04', async () => {
  expect(await linesOn({ controllers: 'cpuset memory\n', version: '21.08.5' })).toEqual([
    ...fallback,
    'Jobs are not confined to their cores, memory and GPUs: slurm-wlm 21.08.5 does not support cgroup v2',
  ])
})

test.for([
  [{ membership: '4:memory:/\n0::/\n', controllers: 'hugetlb\n', plugin }, 'CgroupPlugin=cgroup/v1'],
  [{ membership: '4:memory:/\n', plugin, version: '24.11.5' }, 'CgroupPlugin=disabled'],
] as const)('a system with cgroup v1 or both runs without control groups: %j', async ([system, setting]) => {
  expect(await linesOn(system)).toEqual([
    ...fallback,
    setting,
    'Jobs are not confined to their cores, memory and GPUs: this system does not use cgroup v2 alone',
  ])
})

test.for([
  ['Debian 12', 'usr/lib/x86_64-linux-gnu/slurm-wlm/mpi_pmix.so', 'usr/lib/x86_64-linux-gnu/libpmix.so'],
  ['Rocky 9', 'usr/lib64/slurm/mpi_pmix.so', 'usr/lib64/libpmix.so'],
] as const)('a plain srun starts MPI programs with PMIx, as on %s', async ([, slurm, library]) => {
  expect(await linesOn({ libraries: [slurm, library] })).toContain('MpiDefault=pmix')
  // Without the library that its plugin loads, Slurm would not start any job.
  expect((await linesOn({ libraries: [slurm] })).join()).not.toContain('MpiDefault')
  expect((await linesOn({ libraries: [library] })).join()).not.toContain('MpiDefault')
})
