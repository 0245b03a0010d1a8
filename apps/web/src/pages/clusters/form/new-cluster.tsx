import { mayAccess } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { Lock } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { paths, useSearchParam } from '../../../paths'
import { useUser } from '../../../session/user'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ButtonLink } from '../../../ui/button/link'
import { PageHeader } from '../../../ui/layout/page-header'
import { Delayed, SkeletonText } from '../../../ui/feedback/skeleton'

const NewLocal = lazy(() => import('./new-local'))
const NewCloud = lazy(() => import('../cloud-form/new-cloud'))

/** `?new=1` creates a cluster of existing machines, `?new=aws` a cluster in that cloud. */
export default function NewCluster() {
  const may = mayAccess(clusters.create.access, useUser().role)
  const wanted = useSearchParam('new') ?? ''
  if (!may)
    return (
      <>
        <PageHeader title="New cluster" />
        <EmptyState
          icon={Lock}
          title="Your role cannot create clusters"
          action={<ButtonLink to={paths.clusters()}>See all clusters</ButtonLink>}
        >
          Ask an admin for the user role.
        </EmptyState>
      </>
    )
  return (
    <Suspense
      fallback={
        <Delayed>
          <SkeletonText lines={8} />
        </Delayed>
      }
    >
      {wanted === '' || wanted === '1' ? <NewLocal /> : <NewCloud wanted={wanted} />}
    </Suspense>
  )
}
