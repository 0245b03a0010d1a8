import { apps, type App } from '@flotilla/contract/apps/apps'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import { desktops } from '@flotilla/contract/desktops/desktops'
import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import { Server } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { useApiQuery } from '../../../api/query'
import { OwnDesktop } from '../../../desktop/own-desktop'
import { useUser } from '../../../session/user'
import { OwnTerminal } from '../../../terminal/own-terminal'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { Skeleton } from '../../../ui/feedback/skeleton'
import { Tabs } from '../../../ui/layout/tabs'

const AppPlace = lazy(() => import('./app-place'))

interface Props {
  seat: OwnSeat
  place: string
  onPlace: (place: string) => void
}

/** The heights that remain below the toolbar, the tabs and the content's header. */
const TERMINAL_HEIGHT = 'h-[max(16rem,calc(100dvh-23rem))] in-[:fullscreen]:h-[calc(100dvh-17rem)]'
const DESKTOP_HEIGHT = 'h-[max(21rem,calc(100dvh-18rem))] in-[:fullscreen]:h-[calc(100dvh-12rem)]'

/** A participant's workspace: their terminal, their desktop or an app. */
export function Workspace({ seat, place, onPlace }: Props) {
  const { clusterId, clusterState } = seat
  if (clusterId === null || clusterState === null || !isClusterActionAllowed('connect', clusterState))
    return (
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState icon={Server} title="Your cluster is not ready yet">
          {clusterState === null
            ? 'Your instructor has not assigned one yet. This page updates as soon as it is.'
            : clusterBlockedReason('connect', clusterState)}
        </EmptyState>
      </div>
    )
  return <Ready clusterId={clusterId} appIds={seat.training.appIds} place={place} onPlace={onPlace} />
}

interface ReadyProps extends Pick<Props, 'place' | 'onPlace'> {
  clusterId: string
  appIds: readonly string[]
}

function Ready({ clusterId, appIds, place, onPlace }: ReadyProps) {
  const cluster = useApiQuery(clusters.view, { id: clusterId })
  const offered = useApiQuery(apps.list, {}, { enabled: appIds.length > 0 })
  // Desktops are not listed, because there is always a tab for the desktop.
  const chosen = (offered.data ?? []).filter(({ id, opens }) => appIds.includes(id) && opens === 'session')
  return (
    <Async data={cluster} skeleton={<Skeleton className="h-96 w-full rounded-card" />}>
      {({ name, accountBlockedReason }) => (
        <Tabs
          label="Workspace"
          value={place}
          onChange={onPlace}
          tabs={[
            {
              id: 'terminal',
              label: 'Terminal',
              content: (
                <OwnTerminal
                  clusterId={clusterId}
                  host={name}
                  blockedReason={accountBlockedReason}
                  className={TERMINAL_HEIGHT}
                />
              ),
            },
            {
              id: 'desktop',
              label: 'Desktop',
              content: (
                <DesktopPlace cluster={{ id: clusterId, name }} blockedReason={accountBlockedReason} />
              ),
            },
            ...chosen.map((app) => appTab(app, clusterId, accountBlockedReason)),
          ]}
        />
      )}
    </Async>
  )
}

const appTab = (app: App, clusterId: string, blockedReason: string | null) => ({
  id: app.id,
  label: app.name,
  content: (
    <Suspense fallback={<Skeleton className="h-96 w-full rounded-card" />}>
      <AppPlace app={app} clusterId={clusterId} blockedReason={blockedReason} className={DESKTOP_HEIGHT} />
    </Suspense>
  ),
})

interface DesktopPlaceProps {
  cluster: { id: string; name: string }
  blockedReason: string | null
}

function DesktopPlace({ cluster, blockedReason }: DesktopPlaceProps) {
  const me = useUser()
  const own = useApiQuery(desktops.list, { query: { cluster: cluster.id } })
  return (
    <Async data={own} skeleton={<Skeleton className="h-96 w-full rounded-card" />} isEmpty={() => false}>
      {(all) => (
        <OwnDesktop
          cluster={cluster}
          desktop={all.find(({ ownerId }) => ownerId === me.id)}
          blockedReason={blockedReason}
          className={DESKTOP_HEIGHT}
        />
      )}
    </Async>
  )
}
