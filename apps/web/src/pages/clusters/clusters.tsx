import { Suspense, lazy } from 'react'
import { useConfig } from '../../api/config'
import { useSearchParam } from '../../paths'
import { Delayed, SkeletonText } from '../../ui/feedback/skeleton'
import { ClusterList } from './list/cluster-list'

const NewCluster = lazy(() => import('./form/new-cluster'))

const MarketplaceView = lazy(() => import('./marketplace/marketplace-view'))

/** The cluster list; with ?new, the form for a new cluster; with ?view=marketplace, the marketplace. */
export default function ClustersPage() {
  const isNew = useSearchParam('new') !== undefined
  const isMarketplace = useSearchParam('view') === 'marketplace'
  const { features } = useConfig()
  if (!isNew && !(isMarketplace && features.marketplace)) return <ClusterList />
  return (
    <Suspense
      fallback={
        <Delayed>
          <SkeletonText lines={8} />
        </Delayed>
      }
    >
      {isNew ? <NewCluster /> : <MarketplaceView />}
    </Suspense>
  )
}
