import { clusters } from '@flotilla/contract/clusters/clusters'
import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import { desktops } from '@flotilla/contract/desktops/desktops'
import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import { Server } from 'lucide-react'
import { useApiQuery } from '../../../api/query'
import { OwnDesktop } from '../../../desktop/own-desktop'
import { useUser } from '../../../session/user'
import { OwnTerminal } from '../../../terminal/own-terminal'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { Skeleton } from '../../../ui/feedback/skeleton'
import { Tabs } from '../../../ui/layout/tabs'

interface Props {
  seat: OwnSeat
  place: string
  onPlace: (place: string) => void
}

/** Below the bar of the seat, the tabs and the header of what is shown. */
const TERMINAL_HEIGHT = 'h-[max(18rem,calc(100dvh-21rem))] in-[:fullscreen]:h-[calc(100dvh-15rem)]'
const DESKTOP_HEIGHT = 'h-[max(22rem,calc(100dvh-17.5rem))] in-[:fullscreen]:h-[calc(100dvh-11.5rem)]'

/** Where a participant works: their terminal, their desktop, or an app. */
export function Workplace({ seat, place, onPlace }: Props) {
  const { clusterId, clusterState } = seat
  if (clusterId === null || clusterState === null || !clusterMay('reach', clusterState))
    return (
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState icon={Server} title="Your cluster is not ready yet">
          {clusterState === null
            ? 'Your instructor has not assigned one yet. This page changes as soon as it is there.'
            : clusterMayNot('reach', clusterState)}
        </EmptyState>
      </div>
    )
  return <Ready clusterId={clusterId} place={place} onPlace={onPlace} />
}

function Ready({ clusterId, place, onPlace }: Pick<Props, 'place' | 'onPlace'> & { clusterId: string }) {
  const cluster = useApiQuery(clusters.view, { id: clusterId })
  return (
    <Async data={cluster} skeleton={<Skeleton className="h-96 w-full rounded-card" />}>
      {({ name, accountBlockedReason }) => (
        <Tabs
          label="Workplace"
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
          ]}
        />
      )}
    </Async>
  )
}

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
