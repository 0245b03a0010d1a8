import { appSessions } from '@flotilla/contract/apps/sessions'
import { useApiMutation } from '../api/query'

/** Opens a session in a new tab. */
export function useOpenApp(): { openInTab: (id: string) => void; isOpening: boolean } {
  const open = useApiMutation(appSessions.open)
  const openInTab = (id: string) => {
    // At once, or the browser takes it for a pop-up; its address follows.
    const tab = window.open('', '_blank')
    open.mutate(
      { id },
      {
        onSuccess: ({ url }) => {
          if (!tab) return window.location.assign(url)
          // The app must not send the console's own tab elsewhere.
          tab.opener = null
          tab.location.href = url
        },
        onError: () => tab?.close(),
      },
    )
  }
  return { openInTab, isOpening: open.isPending }
}
