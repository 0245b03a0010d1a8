import { desktops } from '@flotilla/contract/desktops/desktops'
import { Eye, Hand } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../api/query'
import { useUser } from '../session/user'
import { Button } from '../ui/button/button'
import { Glyph } from '../ui/status/icon'

/** Tells the owner of a desktop who else is connected to it, and lets them end that. */
export function WatchBanner({ desktopId }: { desktopId: string }) {
  const me = useUser()
  const { data } = useApiQuery(desktops.view, { id: desktopId })
  const end = useApiMutation(desktops.endViewer, { invalidates: [desktops.view] })
  if (!data || data.ownerId !== me.id) return null
  const others = data.viewers.filter(({ userId }) => userId !== me.id)
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
            {mode === 'view' ? 'is watching your desktop' : 'controls your desktop'}
          </span>
          <Button onClick={() => end.mutate({ id: desktopId, viewer: id })}>
            End
          </Button>
        </p>
      ))}
    </div>
  )
}
