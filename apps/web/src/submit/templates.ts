import { bandwidthScript } from '@flotilla/contract/jobs/bandwidth'
import type { JobData } from '@flotilla/contract/jobs/jobs'
import { JOB_DEFAULTS } from '@flotilla/contract/jobs/jobs'

export type Template = { id: string; label: string; description: string; name: string; data: JobData }

const data = (script: string, more: Partial<JobData> = {}): JobData => ({
  ...JOB_DEFAULTS,
  array: '',
  walltime: '00:10:00',
  ...more,
  script,
})

export const hello: Template = {
  id: 'hello',
  label: 'Hello',
  description:
    'Writes a line every second for ten seconds, so that you can see where it runs and watch its output.',
  name: 'hello',
  data: data(`#!/bin/bash
echo "Hello from $(hostname), $(nproc) cores"
for step in $(seq 1 10); do
  echo "step $step of 10"
  sleep 1
done
echo "done"
`),
}

/** Scripts that run unchanged on every resource manager; each demonstrates one thing. */
export const templates: readonly Template[] = [
  hello,
  {
    id: 'nodes',
    label: 'Several nodes',
    description: 'Starts one task on each node, like an MPI program.',
    name: 'several-nodes',
    data: data(
      `#!/bin/bash
# One task on each node. An MPI program is started in the same place:
#   srun ./program        with Slurm
#   mpirun ./program      with Torque
if command -v srun > /dev/null; then
  srun hostname
elif command -v pbsdsh > /dev/null; then
  pbsdsh -u hostname
else
  hostname
fi
`,
      { nodes: 2, cores: 2 },
    ),
  },
  {
    id: 'bandwidth',
    label: 'Network test',
    description: 'Measures latency and bandwidth between two nodes with MPI.',
    name: 'bandwidth',
    data: data(bandwidthScript, { nodes: 2 }),
  },
  {
    id: 'gpu',
    label: 'GPU',
    description: 'Requests one GPU and shows which one it got.',
    name: 'gpu-check',
    data: data(
      `#!/bin/bash
echo "GPUs assigned to this job: \${CUDA_VISIBLE_DEVICES:-none listed}"
if command -v nvidia-smi > /dev/null; then
  nvidia-smi
else
  echo "nvidia-smi is not installed on $(hostname)"
fi
`,
      { gpus: 1 },
    ),
  },
  {
    id: 'array',
    label: 'Array',
    description: 'Runs the same script ten times, each with its own number. Use it for many inputs.',
    name: 'array',
    data: data(
      `#!/bin/bash
# Slurm and Torque use different variables for the task number.
task="\${SLURM_ARRAY_TASK_ID:-\${PBS_ARRAYID:-\${FLOTILLA_ARRAY_TASK:-1}}}"
echo "task $task works on input-$task.dat"
sleep $((task % 5 + 1))
echo "task $task is done"
`,
      { array: '1-10' },
    ),
  },
  {
    id: 'python',
    label: 'Python',
    description: 'A Python program as the job script itself.',
    name: 'python-pi',
    data: data(
      `#!/usr/bin/env python3
import os
import random
import time

samples = 0
inside = 0
print("running on", os.uname().nodename, flush=True)
for part in range(1, 11):
    for _ in range(200_000):
        samples += 1
        inside += random.random() ** 2 + random.random() ** 2 <= 1
    print(f"after {samples:,} samples: pi is about {4 * inside / samples:.5f}", flush=True)
    time.sleep(0.5)
`,
    ),
  },
]

export const templateOf = (id: string | undefined): Template | undefined =>
  templates.find((one) => one.id === id)
