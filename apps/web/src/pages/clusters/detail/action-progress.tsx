import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useGrowingLog } from '../../../api/growing-log'
import { paths } from '../../../paths'
import { Card } from '../../../ui/layout/card'
import { TextLink } from '../../../ui/button/link'
import { ProgressBar } from '../../../ui/feedback/progress-bar'
import { LevelName, levelColors } from '../../../ui/log/log-lines'
import { cx } from '../../../ui/text/cx'
import { useNow } from '../../../ui/text/use-now'
import { progressOf } from './progress'
import { healthOf, logOf } from '../cluster-text'
import { elapsedText } from './duration'

/** The action in progress, with its duration and latest steps. The action continues when the user leaves the page. */
export function ActionProgress({ cluster }: { cluster: Cluster }) {
  const log = logOf(cluster)
  return log && <Running cluster={cluster} log={log} />
}

const STEPS = 4

/** The progress, or what is still pending after the engine has finished. */
function labelOf(cluster: Cluster, progress: ReturnType<typeof progressOf>): string {
  const { label } = healthOf(cluster)
  if (!progress) return label
  if (progress.done < progress.of) return `${label}: ${progress.done} of ${progress.of} done`
  return `${label}: all ${progress.of} done, ${cluster.info.state === 'destroying' ? 'checking for leftovers' : 'waiting for the machines'}`
}

function Running({ cluster, log }: { cluster: Cluster; log: NonNullable<ReturnType<typeof logOf>> }) {
  const { since } = cluster.info
  const now = useNow()
  const lines = useGrowingLog(clusters.logs, { id: cluster.id, type: log, search: '' }).data ?? []
  const ofThis = lines.filter(({ time }) => time >= since)
  const steps = ofThis.slice(-STEPS)
  // The latest warning, such as "no capacity, try 3 of 4", which the lines of that try push out of sight.
  const warning = ofThis.findLast(({ level }) => level === 'warning')
  const progress = progressOf(ofThis)
  return (
    <Card>
      <ProgressBar
        label={labelOf(cluster, progress)}
        value={progress && progress.done < progress.of ? progress.done / progress.of : undefined}
        detail={`Running for ${elapsedText(now - since)}`}
      />
      {warning && !steps.includes(warning) && (
        <p className="mt-2 text-label wrap-anywhere text-amber">
          <LevelName level="warning" />
          {warning.text}
        </p>
      )}
      <ol aria-label="Latest steps" className="mt-2 font-mono text-label text-ink-3">
        {steps.map(({ seq, level, text }, at) => (
          <li
            key={seq}
            className={
              at === steps.length - 1
                ? cx('line-clamp-3 wrap-anywhere', levelColors[level] || 'text-ink-1')
                : cx('truncate', levelColors[level])
            }
            title={text}
          >
            <LevelName level={level} />
            {text}
          </li>
        ))}
      </ol>
      <p className="mt-2 text-label text-ink-3">
        You can leave this page. The action keeps running.{' '}
        <TextLink to={paths.cluster(cluster.id, 'logs')} search={{ type: log }}>
          View full log
        </TextLink>
      </p>
    </Card>
  )
}
