import type { Cluster } from '@flotilla/contract/clusters-entity'
import { cx } from '../../ui/cx'
import { toneDot } from '../../ui/tone'
import type { Tone } from '../../ui/tone'
import { countsText } from './cluster-words'

type Counts = Cluster['nodes']
type NodeState = Exclude<keyof Counts, 'total'>

export const nodeTones: Record<NodeState, Tone> = {
  available: 'green',
  busy: 'blue',
  down: 'red',
  offline: 'amber',
  unknown: 'grey',
}
export const nodeStates: readonly NodeState[] = ['available', 'busy', 'down', 'offline', 'unknown']

export const nodesText = (counts: Counts): string =>
  countsText(
    nodeStates.map((state) => [counts[state], state] as const),
    'No nodes',
  )

/** All nodes as one line: how much of it is free, at work or broken. The words stand beside it. */
export function NodeBar({ counts, className }: { counts: Counts; className?: string }) {
  return (
    <span
      aria-hidden
      className={cx('flex h-1.5 gap-px overflow-hidden rounded-full bg-surface-3', className ?? 'w-full')}
    >
      {nodeStates
        .filter((state) => counts[state] > 0)
        .map((state) => (
          <span
            key={state}
            className={cx('min-w-1', toneDot[nodeTones[state]])}
            style={{ flexGrow: counts[state], flexBasis: 0 }}
          />
        ))}
    </span>
  )
}
