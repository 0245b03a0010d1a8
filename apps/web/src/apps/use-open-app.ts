import { appSessions } from '@flotilla/contract/apps/sessions'
import { useApiMutation } from '../api/query'

/** Opens a session in a new tab. */
export function useOpenApp(): { openInTab: (id: string) => void; isOpening: boolean } {
  const open = useApiMutation(appSessions.open)
  const openInTab = (id: string) => {
    // Opened at once, or the browser would block it as a pop-up; its URL is set when it is known.
    const tab = window.open('', '_blank')
    open.mutate(
      { id },
      {
        onSuccess: ({ url }) => {
          if (!tab) return window.location.assign(url)
          // The app must not be able to navigate the console's tab.
          tab.opener = null
          tab.location.href = url
        },
        onError: () => tab?.close(),
      },
    )
  }
  return { openInTab, isOpening: open.isPending }
}
