import type { NodeInfo, QueuedJob } from '../../../src/schedulers/scheduler'

export const DAY = Date.UTC(2026, 0, 1)
export const HOUR = 60 * 60_000

/** One of thousands of jobs, whose names, users, states and sizes vary with the index. */
export const job = (index: number): QueuedJob => ({
  id: String(index + 1),
  tasks: 1,
  name: index % 10 === 0 ? `Weather ${index}` : `sim_${index}%`,
  user: ['ada', 'bob', 'Eve'][index % 3] ?? '',
  state: index < 100 ? 'running' : index % 7 === 0 ? 'blocked' : 'queued',
  nativeState: index < 100 ? 'RUNNING' : 'PENDING',
  reason: index < 100 ? '' : 'Waiting for earlier jobs',
  nativeReason: '',
  nodes: 1 + (index % 4),
  cores: 1 + (index % 16),
  gpus: index % 50 === 0 ? 1 : 0,
  partition: 'batch',
  nodeList: index < 100 ? `n[${index + 1}-${index + 2}]` : '',
  submitTime: DAY + index * 1000,
  ...(index < 100 && { startTime: DAY + HOUR }),
  timeLimitS: 3600 + (index % 3) * 1800,
})

export const node = (index: number): NodeInfo => ({
  name: `n${index + 1}`,
  state: index % 100 === 0 ? 'down' : 'available',
  nativeState: 'IDLE',
  note: '',
  cores: 64,
  coresUsed: index % 65,
  gpus: index % 10 === 0 ? 4 : 0,
  gpusUsed: 0,
  memoryMb: 256_000,
  ...(index % 2 === 0 && { load: index / 100 }),
  partitions: ['batch'],
  reason: index % 100 === 0 ? "it doesn't answer" : '',
})
