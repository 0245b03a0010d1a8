import { expect, test } from 'vitest'
import { standing } from './endings'
import { explain } from './reasons'

/** All limit codes of Slurm 22.05, and some of newer versions. */
const limits = [
  'AssocGrpCpuLimit AssocGrpMemLimit AssocGrpNodeLimit AssocGrpJobsLimit AssocGrpSubmitJobsLimit AssocGrpWallLimit AssocGrpGRES',
  'AssocGrpCPUMinutesLimit AssocGrpCPURunMinutesLimit AssocGrpBilling AssocGrpBillingRunMinutes AssocGrpBB AssocGrpEnergyMinutes',
  'AssocGrpLicense AssocGrpUnknown AssocMaxJobsLimit AssocMaxSubmitJobLimit AssocMaxCpuPerJobLimit AssocMaxNodePerJobLimit',
  'AssocMaxWallDurationPerJobLimit AssocMaxGRESPerJob AssocMaxMemPerNode AssocMaxCpuMinutesPerJobLimit AssocMaxBBPerNode',
  'QOSGrpCpuLimit QOSGrpGRES QOSGrpMemLimit QOSGrpMemoryMinutes QOSGrpMemoryRunMinutes QOSGrpNodeLimit QOSGrpWallLimit',
  'QOSGrpJobsLimit QOSGrpSubmitJobsLimit QOSMaxCpuPerUserLimit QOSMaxCpuPerJobLimit QOSMaxGRESPerUser QOSMaxJobsPerUserLimit',
  'QOSMaxSubmitJobPerUserLimit QOSMaxNodePerUserLimit QOSMaxMemoryPerUser QOSMaxWallDurationPerJobLimit QOSMaxEnergyPerNode',
  'QOSMinCpuNotSatisfied QOSMinGRES QOSMinMemory QOSMinNode MaxCpuPerAccount MaxGRESPerAccount MaxJobsPerAccount',
  'MaxSubmitJobsPerAccount MaxMemoryPerAccount MaxNodePerAccount MaxBBPerAccount MaxUnknownPerAccount',
]
const policies = [
  ...limits.flatMap((line) => line.split(' ')),
  ...'JobHeldUser JobHeldAdmin JobHoldMaxRequeue Dependency DependencyNeverSatisfied BeginTime BadConstraints'.split(
    ' ',
  ),
  ...'InvalidAccount InvalidQOS AccountNotAllowed QOSNotAllowed AssociationJobLimit AssociationResourceLimit'.split(
    ' ',
  ),
  ...'AssociationTimeLimit QOSJobLimit QOSResourceLimit QOSTimeLimit QOSUsageThreshold AccountingPolicy DeadLine'.split(
    ' ',
  ),
  ...'PartitionNodeLimit PartitionTimeLimit PartitionConfig PartitionDown PartitionInactive ReservationDeleted'.split(
    ' ',
  ),
]
const turns =
  'None Priority Resources Prolog Cleaning Licenses Reservation ReqNodeNotAvail JobArrayTaskLimit NodeDown FedJobLock'

test('every reason has a text, and limits block a job while turns do not', () => {
  const sentence = /^[A-Z][a-z]+ [^A-Z]/
  for (const code of policies) {
    expect(explain(code).text, code).toMatch(sentence)
    expect(explain(code), code).toMatchObject({
      blocked: true,
      text: expect.not.stringContaining('reported by Slurm'),
    })
    expect(standing('PENDING', code, '0').state).toBe('blocked')
  }
  for (const code of turns.split(' ')) {
    expect(explain(code), code).toMatchObject({
      blocked: false,
      text: expect.not.stringContaining('reported by Slurm'),
    })
    expect(standing('PENDING', code, '0').state).toBe('queued')
  }
  expect(new Set(policies.map((code) => explain(code).text)).size).toBeGreaterThan(60)
  expect(explain('Resources').text).toBe('Waiting for free cores: other jobs are running')
  expect(explain('(ReqNodeNotAvail, UnavailableNodes:n1)').text).toBe(explain('ReqNodeNotAvail').text)
  const drained =
    'Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions'
  expect(explain(drained).text).toBe('The nodes it needs are down, drained or reserved for others')
  expect(explain('MoonPhase')).toEqual({ text: 'Reason reported by Slurm: "MoonPhase"', blocked: false })
})

test('states of jobs are read', () => {
  const states = {
    queued: ['CONFIGURING', 'REQUEUED', 'REQUEUE_FED'],
    blocked: ['REQUEUE_HOLD', 'SPECIAL_EXIT', 'RESV_DEL_HOLD'],
    running: ['RUNNING', 'COMPLETING', 'SUSPENDED', 'STOPPED', 'SIGNALING', 'RUNNING,COMPLETING'],
    completed: [
      'COMPLETED',
      'CANCELLED by 1000',
      'FAILED',
      'TIMEOUT',
      'NODE_FAIL',
      'OUT_OF_MEMORY',
      'PREEMPTED',
      'NEW_WORD',
    ],
  }
  for (const [state, natives] of Object.entries(states))
    for (const native of natives) expect(standing(native, 'None', '0').state, native).toBe(state)
  expect(standing('CANCELLED by 1000', 'None', '0:15')).toMatchObject({ ending: 'canceled', exitCode: 143 })
  expect(standing('FAILED', 'NonZeroExitCode', '768')).toMatchObject({ exitCode: 3 })
  expect(standing('FAILED', 'SystemFailure', '0').reason).toBe(
    'Ended because Slurm, the network or a file system failed',
  )
})
