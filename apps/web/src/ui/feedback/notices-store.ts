type NoticeTone = 'success' | 'error' | 'info'

export interface Notice {
  id: number
  tone: NoticeTone
  text: string
  /** Where to see what the notice is about. */
  link?: NoticeLink | undefined
  /** Stays until it is dismissed, for events that the user may not have seen. */
  stays?: boolean | undefined
}
/** `go` navigates within the page: notices are rendered outside the router. */
type NoticeLink = { to: string; label: string; go: () => void }

/** More would hide the page; the others wait, so that no notice is lost. */
const ON_SCREEN = 4

export interface NoticeStore {
  success: (text: string, link?: NoticeLink) => void
  error: (text: string, link?: NoticeLink) => void
  info: (text: string, link?: NoticeLink) => void
  /** Shows an info notice that stays until it is dismissed. */
  stay: (text: string) => void
  dismiss: (id: number) => void
  clear: () => void
  subscribe: (listener: () => void) => () => void
  /** The visible notices, oldest first. */
  shown: () => readonly Notice[]
}

export function createNotices(): NoticeStore {
  let all: readonly Notice[] = []
  let shown: readonly Notice[] = []
  let lastId = 0
  const listeners = new Set<() => void>()

  const set = (next: readonly Notice[]) => {
    all = next
    shown = all.slice(0, ON_SCREEN)
    for (const listener of listeners) listener()
  }
  const add = (tone: NoticeTone, stays?: boolean) => (text: string, link?: NoticeLink) => {
    // The same text again replaces the earlier notice and restarts its timer.
    const others = all.filter((notice) => notice.tone !== tone || notice.text !== text)
    lastId += 1
    set([...others, { id: lastId, tone, text, ...(link && { link }), ...(stays && { stays }) }])
  }

  return {
    success: add('success'),
    error: add('error'),
    info: add('info'),
    stay: add('info', true),
    dismiss: (id) => set(all.filter((notice) => notice.id !== id)),
    clear: () => set([]),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    shown: () => shown,
  }
}

/** The console's notices: sent from anywhere, rendered once by the shell. */
export const notices = createNotices()
