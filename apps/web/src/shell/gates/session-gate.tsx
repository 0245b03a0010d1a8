import { Suspense, lazy } from 'react'
import type { ReactNode } from 'react'
import { useSession } from '../../session/store'
import { LoadingScreen } from './loading-screen'

const UnreachableCard = lazy(() => import('./unreachable-card'))

/** Checks a saved session before the first page is rendered. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { status } = useSession()
  if (status === 'checking') return <LoadingScreen message="Checking your session" />
  if (status !== 'unreachable') return children
  return (
    <Suspense fallback={<LoadingScreen />}>
      <UnreachableCard />
    </Suspense>
  )
}
