import { Suspense, lazy } from 'react'
import { useSearchParam } from '../../paths'
import { Delayed, SkeletonText } from '../../ui/skeleton'
import { ClusterList } from './list/cluster-list'

const NewCluster = lazy(() => import('./form/new-cluster'))

/** The list; with ?new=1 the form for a new one. */
export default function ClustersPage() {
  const isNew = useSearchParam('new') !== undefined
  if (!isNew) return <ClusterList />
  return (
    <Suspense
      fallback={
        <Delayed>
          <SkeletonText lines={8} />
        </Delayed>
      }
    >
      <NewCluster />
    </Suspense>
  )
}
