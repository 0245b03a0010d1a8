import type { Cluster } from '@flotilla/contract/clusters/entity'
import { cx } from '../../ui/text/cx'
import { toneDot } from '../../ui/status/tone'
import { nodeParts } from './node-text'

/** All nodes as one bar, by state. It is hidden from screen readers, which read the text next to it. */
export function NodeBar({ cluster, className }: { cluster: Cluster; className?: string }) {
  return (
    <span
      aria-hidden
      className={cx('flex h-1.5 gap-px overflow-hidden rounded-full bg-surface-3', className ?? 'w-full')}
    >
      {nodeParts(cluster)
        .filter(({ count }) => count > 0)
        .map(({ label, count, tone }) => (
          <span
            key={label}
            data-tone={tone}
            className={cx('min-w-1', toneDot[tone])}
            style={{ flexGrow: count, flexBasis: 0 }}
          />
        ))}
    </span>
  )
}
