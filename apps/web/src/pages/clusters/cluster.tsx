import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster, Cluster } from '@flotilla/contract/clusters/entity'
import { SearchX } from 'lucide-react'
import { Suspense, lazy } from 'react'
import type { ReactNode } from 'react'
import { useApiQuery } from '../../api/query'
import { paths, usePathParam } from '../../paths'
import { useUser } from '../../session/user'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { LinkTabs } from '../../ui/layout/link-tabs'
import { PageHeader } from '../../ui/layout/page-header'
import { Delayed, Skeleton, SkeletonRows, SkeletonText } from '../../ui/feedback/skeleton'
import { AcceptanceRequest } from './acceptance'
import { AGE_EVERY_MS } from './cluster-text'
import { ActivitiesTab } from './detail/activities/activities-tab'
import { ConnectionTab } from './detail/connection/connection-tab'
import { Glance } from './detail/glance'
import { ClusterHeader } from './detail/header'
import { LoadTab } from './detail/load/load-tab'
import { LogsTab } from './detail/logs/logs-tab'
import { NodesTab } from './detail/nodes/nodes-tab'
import { Problems } from './detail/problems'
import { QueueTab } from './detail/queue/queue-tab'
import { TerminalTab } from './detail/terminal/terminal-tab'
import { ActionProgress } from './detail/action-progress'

const EditCluster = lazy(() => import('./form/edit-cluster'))
const ClusterApps = lazy(() => import('../../apps/cluster-apps'))
const PlanTab = lazy(() => import('./detail/plan/plan-tab'))
const MachinesTab = lazy(() => import('./detail/machines/machines-tab'))
const CloudConnectionTab = lazy(() => import('./detail/connection/cloud-connection-tab'))

/** The content of a tab that only cloud clusters have. */
const inCloud = (content: (cluster: CloudCluster) => ReactNode) => (cluster: Cluster) =>
  cluster.provider === 'local' ? null : content(cluster)

const tabs: readonly {
  id: string
  label: string
  /** Whether only cloud clusters have the tab. */
  cloudOnly?: true
  /** Whether the tab is hidden from workshop participants. */
  notForParticipants?: true
  count?: (cluster: Cluster) => number
  content: (cluster: Cluster) => ReactNode
}[] = [
  {
    id: 'queue',
    label: 'Queue',
    count: ({ queue }) => queue.running + queue.queued + queue.blocked,
    content: (cluster) => <QueueTab cluster={cluster} />,
  },
  {
    id: 'nodes',
    label: 'Nodes',
    count: ({ nodes }) => nodes.total,
    content: (cluster) => <NodesTab cluster={cluster} />,
  },
  {
    id: 'machines',
    notForParticipants: true,
    label: 'Machines',
    cloudOnly: true,
    content: inCloud((cluster) => <MachinesTab cluster={cluster} />),
  },
  {
    id: 'plan',
    notForParticipants: true,
    label: 'Plan',
    cloudOnly: true,
    content: inCloud((cluster) => <PlanTab cluster={cluster} />),
  },
  { id: 'load', label: 'Load', content: (cluster) => <LoadTab cluster={cluster} /> },
  { id: 'activities', label: 'Activities', content: (cluster) => <ActivitiesTab cluster={cluster} /> },
  {
    id: 'logs',
    label: 'Logs',
    notForParticipants: true,
    content: (cluster) => <LogsTab cluster={cluster} />,
  },
  {
    id: 'connection',
    notForParticipants: true,
    label: 'Connection',
    content: (cluster) =>
      cluster.provider === 'local' ? (
        <ConnectionTab cluster={cluster} />
      ) : (
        <CloudConnectionTab cluster={cluster} />
      ),
  },
  { id: 'terminal', label: 'Terminal', content: (cluster) => <TerminalTab cluster={cluster} /> },
  { id: 'apps', label: 'Apps', content: (cluster) => <ClusterApps cluster={cluster} /> },
]

/** The first tab is shown at the bare path. */
const tabPath = (id: string, tab: string) => paths.cluster(id, tab === 'queue' ? undefined : tab)

export default function ClusterPage() {
  const id = usePathParam('id') ?? ''
  const wanted = usePathParam('tab') ?? 'queue'
  const query = useApiQuery(clusters.view, { id }, { everyMs: AGE_EVERY_MS })
  if (query.error?.status === 404 || query.error?.status === 403) return <ClusterNotFound />
  return (
    <>
      {/* The heading is rendered while the cluster loads, for screen readers and the focus. */}
      {!query.data && <PageHeader title="Cluster" />}
      <Async data={query} skeleton={<ClusterSkeleton />}>
        {(cluster) =>
          wanted === 'edit' ? (
            <Suspense
              fallback={
                <Delayed>
                  <SkeletonText lines={8} />
                </Delayed>
              }
            >
              <EditCluster cluster={cluster} />
            </Suspense>
          ) : (
            <Detail cluster={cluster} wanted={wanted} />
          )
        }
      </Async>
    </>
  )
}

function Detail({ cluster, wanted }: { cluster: Cluster; wanted: string }) {
  const { participant } = useUser()
  const shown = tabs.filter(
    ({ cloudOnly, notForParticipants }) =>
      (!cloudOnly || cluster.provider !== 'local') && !(notForParticipants && participant),
  )
  const tab = shown.find(({ id }) => id === wanted)
  return (
    <>
      <ClusterHeader cluster={cluster} />
      <div className="flex flex-col gap-4">
        <AcceptanceRequest cluster={cluster} />
        <ActionProgress cluster={cluster} />
        <Problems cluster={cluster} />
        <Glance cluster={cluster} />
        <LinkTabs
          label={cluster.name}
          tabs={shown.map(({ id, label, count }) => ({
            to: tabPath(cluster.id, id),
            label,
            exact: true,
            ...(count && { count: count(cluster) }),
          }))}
        />
        <Suspense
          fallback={
            <Delayed>
              <SkeletonRows rows={6} columns={5} />
            </Delayed>
          }
        >
          {tab ? tab.content(cluster) : <TabNotFound id={cluster.id} />}
        </Suspense>
      </div>
    </>
  )
}

const ClusterSkeleton = () => (
  <div className="flex flex-col gap-4">
    <Skeleton className="h-24 w-full rounded-card" />
    <SkeletonRows rows={8} columns={7} />
  </div>
)

const ClusterNotFound = () => (
  <>
    <PageHeader title="Cluster" />
    <EmptyState
      icon={SearchX}
      title="Cluster not found"
      action={<ButtonLink to={paths.clusters()}>See all clusters</ButtonLink>}
    >
      It was deleted or isn’t shared with you.
    </EmptyState>
  </>
)

const TabNotFound = ({ id }: { id: string }) => (
  <EmptyState
    icon={SearchX}
    title="Tab not found"
    action={<ButtonLink to={paths.cluster(id)}>Go to the queue</ButtonLink>}
  >
    This cluster has no tab with this address.
  </EmptyState>
)
