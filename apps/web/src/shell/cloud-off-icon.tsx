import { CloudOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useConfig } from '../api/config'
import { useLive } from '../api/live'
import { Glyph } from '../ui/icon'
import { Tooltip } from '../ui/tooltip'

/** The first connection takes a moment, and so does a short loss: neither is worth a warning. */
const PATIENCE_MS = 2000

/** Shown while the socket is down. */
export function CloudOffIcon() {
  const { connected, since } = useLive()
  const { updateInterval } = useConfig()
  const [waited, setWaited] = useState(0)
  useEffect(() => {
    if (connected) return
    const timer = setTimeout(() => setWaited(since), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [connected, since])

  if (connected || waited !== since) return null
  const seconds = Math.round(updateInterval / 1000)
  return (
    <Tooltip
      content={`No live updates since ${new Date(since).toLocaleTimeString()}. Meanwhile the page asks every ${seconds} s.`}
    >
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
