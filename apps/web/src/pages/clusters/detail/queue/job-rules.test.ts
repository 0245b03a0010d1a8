import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { expect, it } from 'vitest'
import { bulkBlockedReason, jobBlockedReason } from './job-rules'

const job = (changes: Partial<QueuedJob> = {}): QueuedJob => ({
  id: '7',
  name: 'melt',
  user: 'ada',
  state: 'queued',
  nativeState: 'PENDING',
  reason: '',
  nodes: 1,
  cores: 1,
  gpus: 0,
  partition: 'batch',
  nodeList: '',
  submitTime: null,
  startTime: null,
  endTime: null,
  timeLimitS: null,
  exitCode: null,
  submissionId: null,
  jobId: null,
  ...changes,
})
const info = { state: 'available', since: 0, cause: null } as const
const mine = { mine: true, owner: 'grace', info }
const shared = { mine: false, owner: 'grace', info }

it('lets the owner do what the job’s state allows', () => {
  expect(jobBlockedReason('cancel', job({ state: 'running' }), mine, 'grace')).toBeNull()
  expect(jobBlockedReason('hold', job({ state: 'running' }), mine, 'grace')).toMatch(/queued/)
  expect(jobBlockedReason('cancel', job({ state: 'completed' }), mine, 'grace')).toMatch(/ended/)
})

it('lets others cancel only their own submissions', () => {
  const own = job({ submissionId: 's1' })
  expect(jobBlockedReason('cancel', own, shared, 'ada')).toBeNull()
  expect(jobBlockedReason('hold', own, shared, 'ada')).toMatch(/grace/)
  expect(jobBlockedReason('cancel', own, shared, 'linus')).toBe('This job belongs to ada')
})

it('allows nothing while the cluster cannot be operated', () => {
  const deployingCluster = { ...mine, info: { ...info, state: 'deploying' as const } }
  expect(jobBlockedReason('cancel', job(), deployingCluster, 'grace')).toMatch(/deploying/)
})

it('acts on a selection if at least one job allows it', () => {
  expect(bulkBlockedReason(['no', null])).toBeNull()
  expect(bulkBlockedReason(['no', 'neither'])).toBe('no')
})
