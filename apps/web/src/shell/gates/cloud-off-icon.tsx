import { TOO_MANY_SOCKETS } from '@flotilla/contract/errors'
import { CloudOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useConfig } from '../../api/config'
import { useLive } from '../../api/live'
import { useServerResponds } from '../../api/server-responding'
import { Glyph } from '../../ui/status/icon'
import { NO_RESPONSE } from '../../ui/feedback/no-response'
import { Tooltip } from '../../ui/overlay/tooltip'

/** Neither the first connection nor a short outage is worth a warning. */
const SHOW_AFTER_MS = 2000

/** Shown while the socket is down. */
export function CloudOffIcon() {
  const { connected, since, tooMany } = useLive()
  const { updateInterval } = useConfig()
  const serverResponds = useServerResponds()
  const [waited, setWaited] = useState(0)
  useEffect(() => {
    if (connected) return
    const timer = setTimeout(() => setWaited(since), SHOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [connected, since])

  if (connected || waited !== since) return null
  const seconds = Math.round(updateInterval / 1000)
  const fallback = serverResponds ? `Checking for changes every ${seconds} s instead.` : `${NO_RESPONSE}.`
  const reason = tooMany
    ? `${TOO_MANY_SOCKETS}.`
    : `No live updates since ${new Date(since).toLocaleTimeString()}.`
  return (
    <Tooltip content={`${reason} ${fallback}`}>
      <button
        type="button"
        aria-label="Live updates are off"
        className="flex size-8 items-center justify-center rounded-control text-amber hover:bg-surface-3"
      >
        <Glyph icon={CloudOff} />
      </button>
    </Tooltip>
  )
}
