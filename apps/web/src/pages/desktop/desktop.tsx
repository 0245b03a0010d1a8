import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { desktops, type Desktop } from '@flotilla/contract/desktops/desktops'
import { Suspense, lazy } from 'react'
import { useApiQuery } from '../../api/query'
import { OwnDesktop } from '../../desktop/own-desktop'
import { paths, usePathParam, useSearchParam, useSetSearch } from '../../paths'
import { useIsAdmin, useUser } from '../../session/user'
import { Button } from '../../ui/button/button'
import { ButtonLink } from '../../ui/button/link'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { Delayed, Skeleton } from '../../ui/feedback/skeleton'
import { PageHeader } from '../../ui/layout/page-header'
import { HowToConnect } from './how-to-connect'
import { RunningDesktops } from './running-desktops'

const DesktopView = lazy(() => import('../../desktop/desktop-view'))
const HEIGHT = 'h-[max(24rem,calc(100dvh-13rem))]'
const loading = (
  <Delayed>
    <Skeleton className={`${HEIGHT} w-full rounded-card`} />
  </Delayed>
)

/** The user's desktop on a cluster. Admins can view another user's desktop with `?watch=`. */
export default function DesktopPage() {
  const id = usePathParam('id') ?? ''
  const me = useUser()
  const isAdmin = useIsAdmin()
  const watched = useSearchParam('watch')
  const cluster = useApiQuery(clusters.view, { id })
  const query = useApiQuery(desktops.list, { query: { cluster: id } }, { admin: isAdmin })
  const title = cluster.data ? `Desktop on ${cluster.data.name}` : 'Desktop'
  return (
    <>
      <PageHeader
        title={title}
        actions={<ButtonLink to={paths.cluster(id)}>Back to the cluster</ButtonLink>}
      />
      <Async data={cluster} skeleton={loading}>
        {(shown) => (
          <Async data={query} skeleton={loading}>
            {(all) => (
              <div className="flex flex-col gap-4">
                {watched === undefined ? (
                  <Own cluster={shown} desktop={all.find(({ ownerId }) => ownerId === me.id)} />
                ) : (
                  <Watched desktop={all.find((one) => one.id === watched)} />
                )}
                {isAdmin && <RunningDesktops desktops={all.filter(({ ownerId }) => ownerId !== me.id)} />}
              </div>
            )}
          </Async>
        )}
      </Async>
    </>
  )
}

function Own({ cluster, desktop }: { cluster: Cluster; desktop: Desktop | undefined }) {
  return (
    <>
      <OwnDesktop
        cluster={cluster}
        desktop={desktop}
        blockedReason={cluster.accountBlockedReason}
        className={HEIGHT}
      />
      {desktop?.state === 'running' && <HowToConnect desktop={desktop} />}
    </>
  )
}

function Watched({ desktop }: { desktop: Desktop | undefined }) {
  const setSearch = useSetSearch()
  const mode = useSearchParam('mode') === 'control' ? 'control' : 'view'
  if (!desktop)
    return (
      <Callout tone="gray" title="This desktop has ended">
        <Button onClick={() => setSearch({ watch: undefined, mode: undefined })}>
          Show your own desktop
        </Button>
      </Callout>
    )
  const other = mode === 'view' ? 'control' : 'view'
  return (
    <Suspense fallback={loading}>
      <DesktopView
        key={`${desktop.id} ${mode}`}
        desktopId={desktop.id}
        label={`Desktop of ${desktop.owner}`}
        mode={mode}
        admin
        className={HEIGHT}
        actions={
          <>
            <Button onClick={() => setSearch({ mode: other })}>
              {other === 'control' ? 'Take control' : 'View only'}
            </Button>
            <Button onClick={() => setSearch({ watch: undefined, mode: undefined })}>Leave</Button>
          </>
        }
      />
    </Suspense>
  )
}
