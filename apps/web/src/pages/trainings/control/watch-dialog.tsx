import type { Seat } from '@flotilla/contract/trainings/entity'
import { Suspense, lazy, useState } from 'react'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Skeleton } from '../../../ui/feedback/skeleton'
import { Dialog } from '../../../ui/overlay/dialog'

const DesktopView = lazy(() => import('../../../desktop/desktop-view'))
const HEIGHT = 'h-[max(20rem,70dvh)]'

/** A participant's desktop, view only at first. The participant is notified immediately and can disconnect. */
export function WatchDialog({ seat, onClose }: { seat: Seat; onClose: () => void }) {
  const [mode, setMode] = useState<'view' | 'control'>('view')
  const admin = useIsAdmin()
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={`Desktop of ${seat.fullName}`}
      description="They can see that you are watching, and can disconnect you."
      footer={<Button onClick={onClose}>Leave</Button>}
    >
      {seat.desktopId === null ? (
        <p className="text-body text-ink-2">This desktop has ended.</p>
      ) : (
        <Suspense fallback={<Skeleton className={`${HEIGHT} w-full`} />}>
          <DesktopView
            key={`${seat.desktopId} ${mode}`}
            desktopId={seat.desktopId}
            label={`Desktop of ${seat.fullName}`}
            mode={mode}
            admin={admin}
            className={HEIGHT}
            actions={
              <Button onClick={() => setMode(mode === 'view' ? 'control' : 'view')}>
                {mode === 'view' ? 'Take control' : 'View only'}
              </Button>
            }
          />
        </Suspense>
      )}
    </Dialog>
  )
}
