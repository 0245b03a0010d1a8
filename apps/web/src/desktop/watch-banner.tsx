import { desktops, type DesktopViewer } from '@flotilla/contract/desktops/desktops'
import { Eye, Hand } from 'lucide-react'
import { useApiMutation } from '../api/query'
import { Button } from '../ui/button/button'
import { Glyph } from '../ui/status/icon'

/** Shows the owner of a desktop who else is connected, and lets them disconnect others. */
export function WatchBanner({ desktopId, others }: { desktopId: string; others: DesktopViewer[] }) {
  const end = useApiMutation(desktops.endViewer, { invalidates: [desktops.view] })
  return (
    <div role="status">
      {others.map(({ id, name, mode }) => (
        <p
          key={id}
          className="flex flex-wrap items-center gap-2 border-b border-amber/40 bg-amber-soft px-3 py-1.5 text-body text-ink-1"
        >
          <Glyph icon={mode === 'view' ? Eye : Hand} className="text-amber" />
          <span className="grow">
            <b className="font-semibold">{name}</b>{' '}
            {mode === 'view' ? 'is watching your desktop' : 'is controlling your desktop'}
          </span>
          <Button onClick={() => end.mutate({ id: desktopId, viewer: id })}>End</Button>
        </p>
      ))}
    </div>
  )
}
