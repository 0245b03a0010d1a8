import { mayAccess } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { ExternalLink, Plus, Server, Store } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useConfig } from '../../../api/config'
import { useApiList } from '../../../api/list'
import { useUiSettings } from '../../../api/ui-settings'
import { paths, useGo } from '../../../paths'
import { tableSettings } from '../../../session/page-settings'
import { useIsAdmin, useUser } from '../../../session/user'
import { DataTable } from '../../../table/data-table'
import type { OlderRows } from '../../../table/show-older'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ButtonLink } from '../../../ui/button/link'
import type { MenuEntry } from '../../../ui/overlay/menu-entry'
import { PageHeader } from '../../../ui/layout/page-header'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { ActionDialog } from '../actions/action-dialog'
import type { OpenDialog } from '../actions/action-dialog'
import { ownerEntries } from '../actions/action-entries'
import { AGE_EVERY_MS } from '../cluster-text'
import { isAwaitingAcceptance } from '../not-accepted'
import { userActions } from '../actions/user-actions'
import { clusterColumns } from './cluster-columns'

const AcceptanceRequest = lazy(async () => ({ default: (await import('../acceptance')).AcceptanceRequest }))
const FirstRun = lazy(() => import('./first-run'))
const QuickJob = lazy(() => import('../../../shell/quick-job/quick-job'))

const idOf = (cluster: Cluster) => cluster.id
const stateOf = ({ info }: Cluster) => `${info.state} ${info.since}`
const settings = tableSettings('clusters')

const skeleton = <SkeletonRows rows={4} columns={7} />

export function ClusterList() {
  const isAdmin = useIsAdmin()
  const { features } = useConfig()
  const { role, participant } = useUser()
  const mayCreate = mayAccess(clusters.create.access, role)
  const list = useApiList(participant ? clusters.participant : clusters.list, {}, { everyMs: AGE_EVERY_MS })
  const wantsIntroduction = useUiSettings()?.preferences.firstRun === 'shown'
  const introduces = wantsIntroduction && !isAdmin && mayCreate
  const newCluster = mayCreate && (
    <ButtonLink to={paths.clusters()} search={{ new: '1' }} variant="primary" icon={Plus}>
      New cluster
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Cluster Manager"
        actions={
          <>
            {features.marketplace && mayCreate && (
              <ButtonLink to={paths.clusters()} search={{ view: 'marketplace' }} icon={Store}>
                Marketplace
              </ButtonLink>
            )}
            {list.data?.length !== 0 && newCluster}
            {participant && (
              <ButtonLink to={paths.trainings()} variant="primary">
                Open workshop
              </ButtonLink>
            )}
          </>
        }
      />
      <Async
        data={list}
        skeleton={skeleton}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={Server} title="No clusters yet" action={newCluster}>
              {isAdmin
                ? 'Turn this machine into a small cluster, attach one that runs Slurm or Torque, or create one in a cloud.'
                : mayCreate
                  ? 'Create one in a cloud, attach one that runs Slurm or Torque, or ask someone to share one with you.'
                  : 'No one has shared a cluster with you yet. Ask your instructor.'}
            </EmptyState>
          </div>
        }
      >
        {(rows) => {
          const table = <ClusterTable rows={rows} older={list.older} />
          if (!introduces) return table
          return (
            <Suspense fallback={skeleton}>
              <FirstRun clusters={rows} skeleton={skeleton}>
                {table}
              </FirstRun>
            </Suspense>
          )
        }}
      </Async>
    </>
  )
}

function ClusterTable({ rows, older }: { rows: readonly Cluster[]; older: OlderRows | null }) {
  const [openDialog, setOpenDialog] = useState<{ id: string; action: OpenDialog } | null>(null)
  const [submitTo, setSubmitTo] = useState<string | null>(null)
  const mayEver = mayAccess('user', useUser().role)
  const go = useGo()
  const about = rows.find(({ id }) => id === openDialog?.id)

  const actions = (cluster: Cluster): MenuEntry[] => {
    const open: MenuEntry = { to: paths.cluster(cluster.id), label: 'Open', icon: ExternalLink }
    if (!mayEver) return [open]
    return [
      open,
      ...userActions(cluster, go, () => setSubmitTo(cluster.id)),
      'separator',
      ...ownerEntries(cluster, { go, open: (action) => setOpenDialog({ id: cluster.id, action }) }),
    ]
  }
  return (
    <div className="flex flex-col gap-4">
      <Suspense>
        {rows.filter(isAwaitingAcceptance).map((cluster) => (
          <AcceptanceRequest key={cluster.id} cluster={cluster} />
        ))}
      </Suspense>
      <DataTable
        label="Clusters"
        columns={clusterColumns}
        rows={rows}
        rowId={idOf}
        rowVersion={stateOf}
        rowActions={actions}
        older={older}
        settings={settings}
      />
      {submitTo && (
        <Suspense>
          <QuickJob clusterId={submitTo} onClose={() => setSubmitTo(null)} />
        </Suspense>
      )}
      {openDialog && about && (
        <ActionDialog cluster={about} action={openDialog.action} onClose={() => setOpenDialog(null)} />
      )}
    </div>
  )
}
