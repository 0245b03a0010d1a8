import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Lock } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { paths } from '../../../paths'
import { Callout } from '../../../ui/feedback/callout'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ButtonLink } from '../../../ui/button/link'
import { PageHeader } from '../../../ui/layout/page-header'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { actionBlockedReason } from '../actions/cluster-actions'
import { useAdminScope } from '../use-admin-scope'
import { ClusterForm } from './cluster-form'

const EditCloud = lazy(() => import('../cloud-form/edit-cloud'))

export default function EditCluster({ cluster }: { cluster: Cluster }) {
  const admin = useAdminScope(cluster)
  // The form keeps the cluster as it was when the page was opened, so that updates do not change it during editing.
  const [opened] = useState(cluster)
  const blockedReason = actionBlockedReason(cluster, 'edit')
  return (
    <>
      <PageHeader title={`Edit ${opened.name}`} />
      {blockedReason !== null && !opened.mine ? (
        <EmptyState
          icon={Lock}
          title="You cannot edit this cluster"
          action={<ButtonLink to={paths.cluster(cluster.id)}>Back to the cluster</ButtonLink>}
        >
          {blockedReason}.
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-4">
          {blockedReason !== null && <Callout tone="amber" title={blockedReason} />}
          {cluster.info.state === 'available' && cluster.provider === 'local' && (
            <div className="max-w-180">
              <Callout tone="gray" title="This cluster is in use">
                Changes to the name, description and collaborators take effect when you save. A changed
                connection is used the next time the console checks the cluster.
              </Callout>
            </div>
          )}
          {opened.provider === 'local' ? (
            <ClusterForm cluster={opened} admin={admin} />
          ) : (
            <Suspense fallback={<SkeletonText lines={8} />}>
              <EditCloud cluster={opened} admin={admin} />
            </Suspense>
          )}
        </div>
      )}
    </>
  )
}
