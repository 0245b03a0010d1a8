import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { LogType } from '@flotilla/contract/clusters/entity'
import type * as z from 'zod/mini'

/** An action on a cluster: the state during and after it, and the state after a failure. */
type Action = {
  during: ClusterState
  after: ClusterState | 'before'
  /** A cluster that was running before a failed change is still running. */
  failed: 'failed' | 'before'
  log: z.infer<typeof LogType>
}

const change: Action = { during: 'updating', after: 'before', failed: 'before', log: 'change' }

/** Every action that is a run. `before` is the cluster's previous state. */
export const runActions = {
  deploy: { during: 'deploying', after: 'available', failed: 'failed', log: 'deploy' },
  stop: { during: 'stopping', after: 'stopped', failed: 'failed', log: 'stop' },
  start: { during: 'starting', after: 'available', failed: 'failed', log: 'start' },
  destroy: { during: 'destroying', after: 'destroyed', failed: 'failed', log: 'destroy' },
  forceDestroy: { during: 'destroying', after: 'destroyed', failed: 'failed', log: 'destroy' },
  /** An edit of an attached cluster in use. */
  update: { ...change, failed: 'failed', log: 'deploy' },
  plan: { during: 'planning', after: 'planned', failed: 'before', log: 'plan' },
  applyChanges: change,
  deployNode: change,
  destroyNode: change,
  addDisk: change,
  resize: change,
  openvpn: change,
  fastRestore: change,
} as const satisfies Record<string, Action>
export type RunAction = keyof typeof runActions

export const isRunAction = (name: string): name is RunAction => name in runActions

const removals: RunAction[] = ['stop', 'destroy', 'forceDestroy', 'destroyNode']
/** Whether it creates or starts something; removing is possible regardless of other restrictions. */
export const createsSomething = (action: RunAction, input: Record<string, unknown> = {}): boolean =>
  !removals.includes(action) && !(action === 'fastRestore' && input.enabled === false)

/** Planning a running cluster leaves it running. */
export const stateAfter = (action: RunAction, before: ClusterState): ClusterState => {
  const { after } = runActions[action]
  if (action === 'plan' && before === 'available') return before
  return after === 'before' ? before : after
}
/** An attached cluster that could not be stopped is as it was. */
export const stateAfterFailure = (action: RunAction, before: ClusterState, attached: boolean): ClusterState =>
  runActions[action].failed === 'before' || (attached && action === 'stop') ? before : 'failed'
