import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { Column } from '../../table/column'
import { textColumn, timeColumn } from '../../table/columns'
import { isOver } from '../../submit/is-over'
import { Badge } from '../../ui/status/badge'
import { RowLink } from '../../ui/button/link'
import { stateTone, stateLabel } from '../../submit/submission-state'
import { Status } from '../../ui/status/status'
import { useTicking } from '../../ui/text/use-now'
import { paths } from '../../paths'
import { durationText, ranMs, reasonOf, usageText, waitedMs } from './submission-text'

/** A duration that counts up while the submission is in progress. */
function ElapsedTime({ of, isRunning }: { of: (now: number) => number | null; isRunning: boolean }) {
  const text = useTicking((now) => {
    const ms = of(now)
    return ms === null ? '–' : durationText(ms)
  })
  return <span className={isRunning ? 'text-ink-1' : undefined}>{text}</span>
}

const seconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000))
const elapsedTexts = (ms: number | null) => (ms === null ? [] : [durationText(ms)])

/** `shown` is the ID of the submission whose output is displayed. The reason column is shown only with `reasons`. */
export const submissionColumns = (
  shown: string | undefined,
  reasons: boolean,
): readonly Column<Submission>[] => [
  {
    id: 'state',
    header: 'State',
    type: 'text',
    width: 170,
    priority: 1,
    value: (one) => stateLabel(one.state),
    cell: (one) => (
      <span className="flex items-center gap-2">
        <RowLink
          aria-current={one.id === shown || undefined}
          to={paths.job(one.jobId)}
          search={(now: object) => ({ ...now, submission: one.id, file: undefined, task: undefined })}
          resetScroll={false}
        >
          <Status tone={stateTone(one.state)}>{stateLabel(one.state)}</Status>
        </RowLink>
        {one.id === shown && <Badge>Shown</Badge>}
      </span>
    ),
  },
  {
    id: 'cluster',
    header: 'Cluster',
    type: 'text',
    width: 150,
    // Reasons are sentences and get the remaining space.
    grow: !reasons,
    priority: 2,
    value: (one) => one.cluster.name,
    cell: (one) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate">{one.cluster.name}</span>
        {one.runAsAdmin && <Badge tone="amber">Admin</Badge>}
      </span>
    ),
  },
  timeColumn({
    id: 'submittedAt',
    header: 'Submitted',
    value: (one) => one.submittedAt,
    width: 110,
    // On a phone, the time is what distinguishes submissions.
    priority: 1,
  }),
  {
    id: 'waited',
    header: 'Waited',
    type: 'duration',
    width: 90,
    priority: 3,
    value: (one) => seconds(waitedMs(one, Date.now())),
    texts: (one) => elapsedTexts(waitedMs(one, Date.now())),
    cell: (one) => (
      <ElapsedTime
        of={(now) => waitedMs(one, now)}
        isRunning={one.startedAt === null && !isOver(one.state)}
      />
    ),
  },
  {
    id: 'ran',
    header: 'Ran',
    type: 'duration',
    width: 90,
    priority: 2,
    value: (one) => seconds(ranMs(one, Date.now())),
    texts: (one) => elapsedTexts(ranMs(one, Date.now())),
    cell: (one) => <ElapsedTime of={(now) => ranMs(one, now)} isRunning={one.state === 'running'} />,
  },
  {
    id: 'exitCode',
    header: 'Exit code',
    type: 'number',
    width: 100,
    priority: 2,
    value: (one) => one.exitCode,
    cell: ({ exitCode, state }) =>
      exitCode === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <span className={exitCode === 0 || state === 'canceled' ? undefined : 'font-medium text-red'}>
          {exitCode}
        </span>
      ),
  },
  textColumn({
    id: 'nodes',
    header: 'Nodes',
    value: (one) => one.nodeList,
    width: 120,
    priority: 3,
    mono: true,
  }),
  textColumn({ id: 'usage', header: 'Used', value: (one) => usageText(one.usage), width: 204, priority: 2 }),
  ...(reasons
    ? [
        textColumn<Submission>({
          id: 'reason',
          header: 'Reason',
          value: reasonOf,
          width: 160,
          grow: true,
          priority: 2,
        }),
      ]
    : []),
]
