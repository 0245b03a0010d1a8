import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import { ClusterState } from '@flotilla/contract/clusters/states'
import { expect, it } from 'vitest'
import { lifecycle, actionBlockedReason } from './cluster-actions'
import { healthOf, isInProgress, logOf } from '../cluster-text'
import { elapsedText } from '../detail/duration'
import { lifecycleTexts } from './lifecycle-text'

const cluster = (changes: Partial<LocalCluster> = {}): LocalCluster => ({
  id: 'c',
  name: 'aurora',
  description: '',
  provider: 'local',
  credential_id: null,
  owner: 'grace',
  mine: true,
  collaborators: [],
  ldapCollaborators: [],
  forEveryone: false,
  info: { state: 'available', since: 5, cause: null },
  acceptance: null,
  data: {
    manager: 'none',
    transport: 'local',
    head: null,
    virtualNodes: null,
    partition: '',
    slurmConf: '',
    pathsConfirmed: true,
    publicKey: null,
    hostKey: null,
  },
  queue: { blocked: 0, completed: 0, queued: 2, running: 1, total: 3 },
  nodes: { available: 1, busy: 1, down: 0, offline: 0, total: 2, unknown: 0 },
  largestNode: { cores: 1, gpus: 0 },
  hiddenJobs: null,
  freshness: { polledAt: 9, error: null, errorSince: null },
  submitBlockedReason: null,
  accountBlockedReason: null,
  run: null,
  price: null,
  places: [],
  createdAt: 0,
  ...changes,
})

it('refuses every action to users who are not the owner and names the owner', () => {
  const shared = cluster({ mine: false })
  for (const action of lifecycle) expect(actionBlockedReason(shared, action)).toContain('grace')
})

it('names the state that an action requires', () => {
  expect(actionBlockedReason(cluster(), 'stop')).toBeNull()
  expect(actionBlockedReason(cluster(), 'start')).toBe(
    'Not possible while the cluster’s state is available. It must be stopped.',
  )
})

it('states how many jobs a destroy cancels', () => {
  expect(lifecycleTexts.destroy.lost(cluster())).toMatch(/^3 jobs are canceled now\./)
  const queue = { blocked: 0, completed: 0, queued: 0, running: 1, total: 1 }
  expect(lifecycleTexts.destroy.lost(cluster({ queue }))).toMatch(/^1 job is canceled now\./)
  const none = { ...queue, running: 0 }
  expect(lifecycleTexts.destroy.lost(cluster({ queue: none }))).toMatch(/^No jobs are running or queued\./)
  const slurm = { ...cluster().data, manager: 'slurm' as const }
  expect(lifecycleTexts.destroy.lost(cluster({ data: slurm }))).toMatch(
    /^3 jobs in its queue are no longer shown here\./,
  )
  expect(lifecycleTexts.destroy.lost(cluster({ data: slurm, queue: none }))).toMatch(/^Its queue is empty\./)
})

it('uses the singular for a single node', () => {
  const nodes = { ...cluster().nodes, busy: 0, total: 1 }
  expect(lifecycleTexts.stop.happens(cluster())).toMatch(/^All 2 nodes are drained:/)
  expect(lifecycleTexts.stop.happens(cluster({ nodes }))).toMatch(/^Its only node is drained:/)
})

it('shows a cluster as unreachable only in states where it should respond', () => {
  const freshness = { polledAt: 9, error: 'timed out', errorSince: 12 }
  expect(healthOf(cluster({ freshness }))).toEqual({ label: 'Unreachable', tone: 'amber', since: 12 })
  const saved = cluster({ freshness, info: { state: 'saved', since: 5, cause: null } })
  expect(healthOf(saved).label).toBe('Saved')
})

it('every state with an action in progress has a log', () => {
  for (const state of ClusterState.options)
    expect(logOf(cluster({ info: { state, since: 5, cause: null } })) !== null).toBe(isInProgress(state))
})

it('formats durations', () => {
  expect([0, 65_000, 3_665_000].map(elapsedText)).toEqual(['0:00', '1:05', '1:01:05'])
})
