import { desktops, type Desktop } from '@flotilla/contract/desktops/desktops'
import { Monitor, Power } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { useApiMutation } from '../api/query'
import { Button } from '../ui/button/button'
import { EmptyState } from '../ui/feedback/empty-state'
import { Delayed, Skeleton } from '../ui/feedback/skeleton'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'

const DesktopView = lazy(() => import('./desktop-view'))

interface Props {
  cluster: { id: string; name: string }
  /** The user's own; undefined when none is running. */
  desktop: Desktop | undefined
  blockedReason: string | null
  /** Tailwind classes for its height. */
  className: string
}

/** The user's own desktop on a cluster: started, shown and ended. */
export function OwnDesktop({ cluster, desktop, blockedReason, className }: Props) {
  const start = useApiMutation(desktops.create, { invalidates: [desktops.list] })
  const [isEndDialogOpen, setIsEndDialogOpen] = useState(false)
  const end = useApiMutation(desktops.end, {
    invalidates: [desktops.list],
    onSuccess: () => setIsEndDialogOpen(false),
  })
  if (desktop?.state !== 'running')
    return (
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState
          icon={Monitor}
          title={desktop?.state === 'ending' ? 'Your desktop is shutting down' : 'No desktop is running'}
          action={
            <Button
              variant="primary"
              busy={start.isPending || desktop?.state === 'starting'}
              disabledReason={blockedReason}
              onClick={() => start.mutate({ id: cluster.id })}
            >
              Start desktop
            </Button>
          }
        >
          Start a graphical desktop on {cluster.name} under your own account. It keeps running after you close
          this page.
        </EmptyState>
      </div>
    )
  return (
    <>
      <Suspense
        fallback={
          <Delayed>
            <Skeleton className={`${className} w-full rounded-card`} />
          </Delayed>
        }
      >
        <DesktopView
          desktopId={desktop.id}
          label={`Desktop on ${cluster.name}`}
          className={className}
          actions={
            <Button icon={Power} onClick={() => setIsEndDialogOpen(true)}>
              End desktop
            </Button>
          }
        />
      </Suspense>
      {isEndDialogOpen && (
        <ConfirmDialog
          open
          title="End this desktop?"
          confirmLabel="End desktop"
          onConfirm={() => end.mutateAsync({ id: desktop.id })}
          onClose={() => setIsEndDialogOpen(false)}
        >
          All programs in it are closed. Unsaved work is lost.
        </ConfirmDialog>
      )}
    </>
  )
}
