import { ui } from '@flotilla/contract/site/ui'
import { useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useServerResponds } from '../../api/server-responding'
import { Glyph } from '../../ui/status/icon'
import { isNoResponse, NO_RESPONSE, NoResponse } from '../../ui/feedback/no-response'

const AGAIN_MS = 5000

/** Shown once for the whole page while the server does not respond. */
export function NoResponseBanner() {
  const serverResponds = useServerResponds()
  useRetryUntilResponse(serverResponds)
  if (serverResponds) return null
  return (
    <p
      role="status"
      className="flex items-center gap-2 border-b border-amber/40 bg-amber-soft px-4 py-2 text-body text-ink-1"
    >
      <Glyph icon={CloudOff} className="shrink-0 text-amber" />
      {NO_RESPONSE}.
    </p>
  )
}

export function NoAnswerProvider({ children }: { children: ReactNode }) {
  return <NoResponse value={!useServerResponds()}>{children}</NoResponse>
}

/** A small call detects when the server responds again; then whatever was missed is fetched. */
function useRetryUntilResponse(serverResponds: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (serverResponds) {
      void client.refetchQueries({ type: 'active', predicate: ({ state }) => isNoResponse(state.error) })
      return
    }
    const timer = setInterval(
      () => void client.refetchQueries({ queryKey: [ui.settings.path] }, { cancelRefetch: false }),
      AGAIN_MS,
    )
    return () => clearInterval(timer)
  }, [client, serverResponds])
}
