import { Suspense, lazy } from 'react'
import { useConfig } from '../../api/config'

const ConfigBanner = lazy(() => import('./config-banner'))

/** Most sites have no configuration problems, so the banner is loaded only when needed. */
export function ConfigProblems({ showDetail }: { showDetail: boolean }) {
  if (useConfig().problems.length === 0) return null
  return (
    <Suspense>
      <ConfigBanner showDetail={showDetail} />
    </Suspense>
  )
}
