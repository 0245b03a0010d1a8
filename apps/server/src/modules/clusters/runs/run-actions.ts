import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { LogType } from '@flotilla/contract/clusters/entity'
import * as z from 'zod/mini'

/** An action on a cluster: the state during and after it, the state after a failure, and its input. */
type Action = {
  during: ClusterState
  after: ClusterState | 'before'
  /** A cluster that was running before a failed change is still running. */
  failed: 'failed' | 'before'
  log: z.infer<typeof LogType>
  input: z.ZodMiniType
}

/**
 * The input of actions that need only the cluster's row. What older versions stored with some of them was never read.
 */
const Nothing = z.object({})
type Nothing = z.infer<typeof Nothing>
const Destroy = z.object({
  /** Missing only in rows of older versions that detach a cluster, which has no disks to keep. */
  keepDisks: z._default(z.array(z.string()), []),
})
/** The nodes that are brought up or removed. */
const Nodes = z.object({ nodes: z.array(z.string()) })

const change = {
  during: 'updating',
  after: 'before',
  failed: 'before',
  log: 'change',
  input: Nothing,
} as const satisfies Action

const destroy = {
  during: 'destroying',
  after: 'destroyed',
  failed: 'failed',
  log: 'destroy',
  input: Destroy,
} as const satisfies Action

/** Every action that is a run. `before` is the cluster's previous state. */
export const runActions = {
  deploy: { during: 'deploying', after: 'available', failed: 'failed', log: 'deploy', input: Nothing },
  stop: { during: 'stopping', after: 'stopped', failed: 'failed', log: 'stop', input: Nothing },
  start: { during: 'starting', after: 'available', failed: 'failed', log: 'start', input: Nothing },
  destroy,
  forceDestroy: destroy,
  /** An edit of an attached cluster in use. */
  update: { ...change, failed: 'failed', log: 'deploy' },
  plan: { during: 'planning', after: 'planned', failed: 'before', log: 'plan', input: Nothing },
  applyChanges: change,
  deployNode: { ...change, input: Nodes },
  destroyNode: { ...change, input: Nodes },
  addDisk: change,
  resize: change,
  openvpn: change,
  fastRestore: { ...change, input: z.object({ enabled: z.boolean() }) },
} as const satisfies Record<string, Action>
export type RunAction = keyof typeof runActions

export const isRunAction = (name: string): name is RunAction => name in runActions

export type RunInputs = { [A in RunAction]: z.infer<(typeof runActions)[A]['input']> }
/** An action to start, with its input if it has one. */
export type NewClusterRun<A extends RunAction = RunAction> = {
  [Each in A]: RunInputs[Each] extends Nothing
    ? { action: Each; input?: undefined }
    : { action: Each; input: RunInputs[Each] }
}[A]

// With this type, the compiler can tell which input belongs to which action.
const schemas: { [A in RunAction]: { input: z.ZodMiniType<RunInputs[A]> } } = runActions
/** The input that was stored with a run. */
export const parseInput = <A extends RunAction>(action: A, stored: unknown): RunInputs[A] =>
  schemas[action].input.parse(stored)

const removals: RunAction[] = ['stop', 'destroy', 'forceDestroy', 'destroyNode']
/** Whether it creates or starts something; removing is possible regardless of other restrictions. */
export const mayCreateResources = ({ action, input }: NewClusterRun): boolean =>
  action === 'fastRestore' ? input.enabled : !removals.includes(action)

/** Planning a running cluster leaves it running. */
export const stateAfter = (action: RunAction, before: ClusterState): ClusterState => {
  const { after } = runActions[action]
  if (action === 'plan' && before === 'available') return before
  return after === 'before' ? before : after
}
/** An attached cluster that could not be stopped stays as it was. */
export const stateAfterFailure = (action: RunAction, before: ClusterState, attached: boolean): ClusterState =>
  runActions[action].failed === 'before' || (attached && action === 'stop') ? before : 'failed'
