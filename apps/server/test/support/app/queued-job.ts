import type { QueuedJob } from '../../../src/schedulers/scheduler'

/** A job as a resource manager lists it: one core, with every field empty that is not given. */
export const queuedJob = (given: Pick<QueuedJob, 'id' | 'state'> & Partial<QueuedJob>): QueuedJob => ({
  tasks: 1,
  name: 'job',
  user: 'anna',
  nativeState: '',
  reason: '',
  nativeReason: '',
  nodes: 1,
  cores: 1,
  gpus: 0,
  partition: '',
  nodeList: '',
  ...given,
})
