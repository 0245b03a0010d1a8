import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { desktops, type Desktop } from '@flotilla/contract/desktops/desktops'
import { Monitor, Power } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useApiMutation, useApiQuery } from '../../api/query'
import { paths, usePathParam, useSearchParam, useSetSearch } from '../../paths'
import { useUser } from '../../session/user'
import { Button } from '../../ui/button/button'
import { ButtonLink } from '../../ui/button/link'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Delayed, Skeleton } from '../../ui/feedback/skeleton'
import { PageHeader } from '../../ui/layout/page-header'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { HowToConnect } from './how-to-connect'
import { RunningDesktops } from './running-desktops'

const DesktopView = lazy(() => import('../../desktop/desktop-view'))
const HEIGHT = 'h-[max(24rem,calc(100dvh-13rem))]'
const loading = (
  <Delayed>
    <Skeleton className={`${HEIGHT} w-full rounded-card`} />
  </Delayed>
)

/** A person's desktop on a cluster; for admins also those of others, with `?watch=`. */
export default function DesktopPage() {
  const id = usePathParam('id') ?? ''
  const me = useUser()
  const isAdmin = me.role.includes('admin')
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
  const start = useApiMutation(desktops.create, { invalidates: [desktops.list] })
  const [asksEnd, setAsksEnd] = useState(false)
  const end = useApiMutation(desktops.end, {
    invalidates: [desktops.list],
    onSuccess: () => setAsksEnd(false),
  })
  if (desktop?.state !== 'running')
    return (
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState
          icon={Monitor}
          title={desktop?.state === 'ending' ? 'The desktop is ending' : 'No desktop is running'}
          action={
            <Button
              variant="primary"
              busy={start.isPending || desktop?.state === 'starting'}
              disabledReason={cluster.accountBlockedReason}
              onClick={() => start.mutate({ id: cluster.id })}
            >
              Start desktop
            </Button>
          }
        >
          A graphical desktop on {cluster.name} under your own account. It keeps running when you close this
          page.
        </EmptyState>
      </div>
    )
  return (
    <>
      <Suspense fallback={loading}>
        <DesktopView
          desktopId={desktop.id}
          label={`Desktop on ${cluster.name}`}
          className={HEIGHT}
          actions={
            <Button icon={Power} onClick={() => setAsksEnd(true)}>
              End desktop
            </Button>
          }
        />
      </Suspense>
      <HowToConnect desktop={desktop} />
      {asksEnd && (
        <ConfirmDialog
          open
          title="End this desktop?"
          confirmLabel="End desktop"
          onConfirm={() => end.mutateAsync({ id: desktop.id })}
          onClose={() => setAsksEnd(false)}
        >
          All programs in it end. What you have not saved is lost.
        </ConfirmDialog>
      )}
    </>
  )
}

function Watched({ desktop }: { desktop: Desktop | undefined }) {
  const setSearch = useSetSearch()
  const mode = useSearchParam('mode') === 'control' ? 'control' : 'view'
  if (!desktop)
    return (
      <Callout tone="gray" title="This desktop has ended">
        <Button onClick={() => setSearch({ watch: undefined, mode: undefined })}>Show your own</Button>
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
              {other === 'control' ? 'Take control' : 'Only watch'}
            </Button>
            <Button onClick={() => setSearch({ watch: undefined, mode: undefined })}>Leave</Button>
          </>
        }
      />
    </Suspense>
  )
}
