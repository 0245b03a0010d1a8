import { clusters } from '@flotilla/contract/clusters/clusters'
import type { JobData } from '@flotilla/contract/jobs/jobs'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { Server } from 'lucide-react'
import { useId, useState, type FormEvent } from 'react'
import { useApiQuery } from '../api/query'
import { paths } from '../paths'
import { useIsAdmin } from '../session/user'
import { Async } from '../ui/feedback/async'
import { Button } from '../ui/button/button'
import { Checkbox } from '../ui/form/checkbox'
import { Dialog } from '../ui/overlay/dialog'
import { EmptyState } from '../ui/feedback/empty-state'
import { ButtonLink } from '../ui/button/link'
import { SkeletonText } from '../ui/feedback/skeleton'
import { ClusterChoices } from './cluster-choices'
import { offers } from './offer'

/** Where a job is submitted. */
export type Choice = { cluster: string; runAsAdmin: boolean }

interface Props {
  title: string
  /** The needs of the job, or the maximum over several jobs. */
  needs: Pick<JobData, 'nodes' | 'cores' | 'gpus'>
  /** Preselected if it can run the job. */
  last: string | null
  busy?: boolean
  onClose: () => void
  onChoose: (choice: Choice) => void
}

/** Chooses where saved jobs run. */
export function ChooseCluster({ title, needs, last, busy = false, onClose, onChoose }: Props) {
  const formId = useId()
  const isAdmin = useIsAdmin()
  const list = useApiQuery(clusters.list, { query: { limit: PAGE_SIZE_MAX } })
  const found = offers(needs, list.data ?? [])
  const [chosen, setChosen] = useState(last)
  const [runAsAdmin, setRunAsAdmin] = useState(false)
  const possible = found.filter(({ blockedReason }) => blockedReason === null)
  // The last cluster, or the only one, is preselected; one that cannot run the job never is.
  const offered =
    possible.find(({ cluster }) => cluster.id === chosen) ?? (possible.length === 1 ? possible[0] : undefined)
  const target = offered?.cluster.id ?? null
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (target !== null && !busy) onChoose({ cluster: target, runAsAdmin })
  }

  return (
    <Dialog
      open
      onClose={onClose}
      dismissable={!busy}
      title={title}
      footer={
        <>
          <span role="status" className="mr-auto self-center text-body text-ink-2">
            {busy ? messages.submittingJob : ''}
          </span>
          <Button onClick={onClose} disabled={busy}>
            Back
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={busy}
            disabledReason={target === null ? 'Choose a cluster first' : null}
          >
            Submit
          </Button>
        </>
      }
    >
      <Async
        data={list}
        skeleton={<SkeletonText lines={4} />}
        empty={
          <EmptyState
            icon={Server}
            title="No clusters yet"
            action={<ButtonLink to={paths.clusters()}>Go to clusters</ButtonLink>}
          >
            Jobs run on clusters. Create one, or ask someone to share theirs.
          </EmptyState>
        }
      >
        {() => (
          <form id={formId} className="flex flex-col gap-4" onSubmit={send}>
            <ClusterChoices offers={found} value={target} onChange={setChosen} />
            {isAdmin && (
              <Checkbox
                label="Admin"
                hint="Runs as the cluster’s admin account instead of your own."
                checked={runAsAdmin}
                onChange={(event) => setRunAsAdmin(event.currentTarget.checked)}
              />
            )}
          </form>
        )}
      </Async>
    </Dialog>
  )
}
