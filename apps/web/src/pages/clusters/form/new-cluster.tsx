import { clusters } from '@flotilla/contract/clusters'
import { mayAccess } from '@flotilla/contract/access'
import { Lock } from 'lucide-react'
import { paths } from '../../../paths'
import { useUser } from '../../../session/user'
import { EmptyState } from '../../../ui/empty-state'
import { ButtonLink } from '../../../ui/link'
import { PageHeader } from '../../../ui/page-header'
import { ClusterForm } from './cluster-form'

export default function NewCluster() {
  const may = mayAccess(clusters.createLocal.access, useUser().role)
  return (
    <>
      <PageHeader
        title="New cluster"
        description="Of machines that exist already: this one, or others behind a head node."
      />
      {may ? (
        <ClusterForm cluster={null} admin={false} />
      ) : (
        <EmptyState
          icon={Lock}
          title="Your role cannot make clusters"
          action={<ButtonLink to={paths.clusters()}>See all clusters</ButtonLink>}
        >
          Ask an admin for the role of a user.
        </EmptyState>
      )}
    </>
  )
}
