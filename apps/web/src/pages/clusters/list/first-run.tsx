import { dashboard, type FirstRun as Progress } from '@flotilla/contract/clusters/dashboard'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { ui } from '@flotilla/contract/site/ui'
import { Play, SquareTerminal, Terminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { paths } from '../../../paths'
import { keylessFirst, offers } from '../../../submit/offer'
import { Button } from '../../../ui/button/button'
import { ButtonLink } from '../../../ui/button/link'
import { Card } from '../../../ui/layout/card'
import { StepList } from '../../../ui/layout/step-list'
import { connectBlockedReason } from '../actions/user-actions'
import { useRunExample } from './use-run-example'

/** The resources of the example job. */
const needs = { nodes: 1, cores: 1, gpus: 0 }
/** Users who submitted their first job longer ago than this need no introduction. */
const NEW_MS = 24 * 60 * 60_000

const isNew = ({ firstJob, terminalOpened }: Progress, now: number): boolean =>
  firstJob === null || (!terminalOpened && now - firstJob.submittedAt < NEW_MS)

type Props = { clusters: readonly Cluster[]; skeleton: ReactNode; children: ReactNode }
/**
 * First steps for a new user: an example job, its output and a terminal. They disappear when they are done or hidden.
 * The table below is rendered together with them, because its rows would otherwise move while the user clicks one.
 */
export default function FirstRun({ clusters, skeleton, children }: Props) {
  const { data, dataUpdatedAt, isPending, failureCount } = useApiQuery(dashboard.firstRun, {})
  if (isPending && failureCount === 0) return skeleton
  return (
    <div className="flex flex-col gap-5">
      {data && isNew(data, dataUpdatedAt) && <Steps progress={data} clusters={clusters} />}
      {children}
    </div>
  )
}

function Steps({ progress, clusters: all }: { progress: Progress; clusters: readonly Cluster[] }) {
  const { firstJob, terminalOpened } = progress
  const hide = useApiMutation(ui.setPreferences, { invalidates: [ui.settings] })
  const { run, isRunning } = useRunExample()
  const clusters = keylessFirst(all)
  const runsOn = offers(needs, clusters).find(({ blockedReason }) => blockedReason === null)
  const connectable = clusters.find((cluster) => connectBlockedReason(cluster) === null)
  const step = (title: string, text: ReactNode, done: boolean, action: ReactNode) => ({
    key: title,
    title,
    text,
    done,
    action,
  })
  return (
    <Card
      title="Get started"
      description="Three things to try. Nothing to install."
      flush
      actions={
        <Button
          variant="ghost"
          busy={hide.isPending}
          onClick={() => hide.mutate({ body: { preferences: { firstRun: 'hidden' } } })}
        >
          Hide
        </Button>
      }
    >
      <StepList
        steps={[
          step(
            'Run an example',
            runsOn
              ? `A small script that counts to ten on ${runsOn.cluster.name}.`
              : 'No cluster can run jobs for you right now.',
            firstJob !== null,
            <Button
              icon={Play}
              variant="primary"
              busy={isRunning}
              disabledReason={runsOn ? null : 'No cluster can run jobs for you right now'}
              onClick={() => runsOn && run(runsOn.cluster.id)}
            >
              Run hello
            </Button>,
          ),
          step(
            'Watch it',
            'Its output appears on the job’s page while it runs.',
            firstJob?.ended ?? false,
            firstJob && (
              <ButtonLink
                to={paths.job(firstJob.jobId)}
                search={{ submission: firstJob.submissionId }}
                icon={Terminal}
              >
                Watch {firstJob.name}
              </ButtonLink>
            ),
          ),
          step(
            'Open a terminal',
            connectable
              ? `A shell on ${connectable.name}, in the browser.`
              : 'You have no account on a running cluster yet.',
            terminalOpened,
            connectable && (
              <ButtonLink to={paths.cluster(connectable.id, 'terminal')} icon={SquareTerminal}>
                Open terminal
              </ButtonLink>
            ),
          ),
        ]}
      />
    </Card>
  )
}
