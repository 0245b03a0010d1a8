import * as z from 'zod/mini'
import { eitherText } from '../count-text'

const clusterStates = [
  'saved',
  'planning',
  'planned',
  'deploying',
  'available',
  'updating',
  'stopping',
  'stopped',
  'starting',
  'destroying',
  'destroyed',
  'failed',
] as const
export const ClusterState = z.enum(clusterStates)
export type ClusterState = z.infer<typeof ClusterState>

/** What is allowed in which state: the server enforces it, and the web app disables buttons with the reason. */
const allowed = {
  edit: ['saved', 'planned', 'available', 'stopped', 'destroyed', 'failed'],
  plan: ['saved', 'planned', 'available', 'destroyed', 'failed'],
  deploy: ['saved', 'planned', 'destroyed', 'failed'],
  /** Apply edits to the existing resources. */
  applyChanges: ['available'],
  /** Change the nodes, disks, sizes or VPN of an available cluster. */
  change: ['available'],
  /** Also while nodes are started or stopped automatically. */
  setBurstMode: ['saved', 'planned', 'available', 'updating', 'stopped', 'destroyed', 'failed'],
  cancel: ['planning', 'deploying', 'updating', 'stopping', 'starting', 'destroying'],
  stop: ['available'],
  start: ['stopped'],
  destroy: ['planned', 'available', 'stopped', 'failed'],
  forceDestroy: [
    'planned',
    'deploying',
    'available',
    'updating',
    'stopping',
    'stopped',
    'starting',
    'destroying',
    'failed',
  ],
  remove: ['saved', 'destroyed'],
  /** Also while updating: users keep working while nodes are added and removed. */
  submit: ['available', 'updating'],
  connect: ['available', 'updating', 'stopped'],
  operate: ['available', 'stopped'],
} as const satisfies Record<string, readonly ClusterState[]>
export type ClusterAction = keyof typeof allowed
export const isAction = (name: string): name is ClusterAction => name in allowed
export const isClusterActionAllowed = (action: ClusterAction, state: ClusterState): boolean =>
  (allowed[action] as readonly ClusterState[]).includes(state)
/** The reason, for the disabled button and for the server's error. */
export const clusterBlockedReason = (action: ClusterAction, state: ClusterState): string =>
  action === 'cancel'
    ? 'Nothing is in progress'
    : `Not possible while the cluster’s state is ${state}. It must be ${eitherText(allowed[action])}.`
