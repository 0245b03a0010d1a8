import { SIDEBAR_FOLDED_WIDTH, SIDEBAR_WIDTH } from '@flotilla/contract/limits'
import { Suspense, lazy, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import { useConfig } from '../api/config'
import { startLive } from '../api/live'
import { QueryProvider } from '../api/query'
import { useUiSettings } from '../api/ui-settings'
import { pageSettings } from '../session/page-settings'
import { UserProvider, useIsAdmin, useUser } from '../session/user'
import { refreshSession } from '../login/session'
import { watchSession } from '../login/watch'
import { useStore } from '../store'
import { BulkFailures } from '../table/selection/bulk-failures'
import { TimeStyle } from '../ui/text/time-style'
import { useQueryClient } from '@tanstack/react-query'
import { ApprovalBanner } from './banners/approval-banner'
import { Announced } from './banners/announced'
import { ConfigProblems } from './banners/config-problems'
import { Drawer } from './frame/drawer'
import { Footer } from './frame/footer'
import { Navigation } from './frame/navigation'
import { NoResponseBanner, NoAnswerProvider } from './banners/no-response-banner'
import { SkipLink } from './frame/skip-link'
import { applyPreferences, appearance } from './theme'
import { Toolbar } from './frame/toolbar'

const loadSearch = () => import('./search/search')
const Search = lazy(loadSearch)
const loadQuickJob = () => import('./quick-job/quick-job')
const QuickJob = lazy(loadQuickJob)
const SubmitFound = lazy(() => import('./search/submit-found'))
const StartFound = lazy(() => import('./search/start-found'))
const Attendance = lazy(() => import('./attendance'))
/** Below this width, the navigation is collapsed until the user chooses: on a tablet, the page needs the room. */
const FOLDED_BELOW_PX = 1200
const folding = pageSettings('shell', z.object({ folded: z.boolean() }))

/** Everything behind login: one user, their data, their live connection. Another user gets another shell. */
export default function Shell({ children }: { children?: ReactNode }) {
  return (
    <UserProvider>
      {(user) => (
        <QueryProvider key={user.id}>
          <ChosenTimes>
            <Layout>{children}</Layout>
          </ChosenTimes>
        </QueryProvider>
      )}
    </UserProvider>
  )
}

function ChosenTimes({ children }: { children: ReactNode }) {
  return <TimeStyle value={useStore(appearance).times}>{children}</TimeStyle>
}

function Layout({ children }: { children: ReactNode }) {
  const [folded, setFolded] = useState(() => folding.load()?.folded ?? innerWidth < FOLDED_BELOW_PX)
  const [drawer, setDrawer] = useState(false)
  const [dialog, setDialog] = useState<
    'search' | 'quick job' | { submit: string } | { start: string } | null
  >(null)
  const closeDialog = useCallback(() => setDialog(null), [])
  const isAdmin = useIsAdmin()
  const hasSeat = useUser().participantEmail !== null
  useSessionWatch()
  useLiveConnection()
  useSavedAppearance()
  const typedAhead = useSearchKeys(dialog === 'search', () => setDialog('search'))

  const fold = () => {
    setFolded(!folded)
    folding.save({ folded: !folded })
  }
  return (
    <div className="flex min-h-dvh">
      <SkipLink />
      <aside
        className="sticky top-0 h-dvh shrink-0 border-r border-line-1 bg-surface-2 max-md:hidden print:hidden"
        style={{ width: folded ? SIDEBAR_FOLDED_WIDTH : SIDEBAR_WIDTH }}
      >
        <Navigation folded={folded} onFold={fold} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <Toolbar
          onMenu={() => setDrawer(true)}
          onSearch={() => setDialog('search')}
          onSearchNear={() => void loadSearch()}
          onQuickJob={() => setDialog('quick job')}
          onQuickJobNear={() => void loadQuickJob()}
        />
        <div className="print:hidden">
          <ConfigProblems showDetail={isAdmin} />
          <Announced announcement={useUiSettings()?.announcement ?? null} />
          <NoResponseBanner />
          <ApprovalBanner />
        </div>
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col p-4 outline-none md:p-6">
          <NoAnswerProvider>{children}</NoAnswerProvider>
        </main>
        <Footer />
      </div>
      {hasSeat && (
        <Suspense>
          <Attendance />
        </Suspense>
      )}
      <BulkFailures />
      {drawer && (
        <Drawer onClose={() => setDrawer(false)}>
          <Navigation folded={false} />
        </Drawer>
      )}
      <Suspense>
        {dialog === 'search' && (
          <Search
            typedAhead={typedAhead}
            onClose={closeDialog}
            openQuickJob={() => setDialog('quick job')}
            submit={(jobId) => setDialog({ submit: jobId })}
            startApp={(appId) => setDialog({ start: appId })}
          />
        )}
        {dialog === 'quick job' && <QuickJob onClose={closeDialog} />}
        {dialog !== null && typeof dialog === 'object' && 'submit' in dialog && (
          <SubmitFound jobId={dialog.submit} onClose={closeDialog} />
        )}
        {dialog !== null && typeof dialog === 'object' && 'start' in dialog && (
          <StartFound appId={dialog.start} onClose={closeDialog} />
        )}
      </Suspense>
    </div>
  )
}

function useSessionWatch(): void {
  const { idleTimer } = useConfig()
  useEffect(() => watchSession(idleTimer * 1000), [idleTimer])
}

/** Connects after the first paint, because nothing waits for the socket. */
function useLiveConnection(): void {
  const client = useQueryClient()
  const config = useConfig()
  useEffect(() => {
    let stop: (() => void) | undefined
    const timer = setTimeout(
      () => (stop = startLive(client, config, () => refreshSession({ repeat: true }))),
      0,
    )
    return () => {
      clearTimeout(timer)
      stop?.()
    }
  }, [client, config])
}

/** Applies what the user chose in another browser. */
function useSavedAppearance(): void {
  const preferences = useUiSettings()?.preferences
  useEffect(() => {
    if (preferences) applyPreferences(preferences)
  }, [preferences])
}

/**
 * Opens the search on Ctrl+K anywhere, and on the slash unless the user is typing. Returns the text that was typed
 * while the search was loading.
 */
function useSearchKeys(isOpen: boolean, open: () => void): () => string {
  const ahead = useRef('')
  // A layout effect, so that keys work as soon as the page is visible.
  useLayoutEffect(() => {
    if (!isOpen) ahead.current = ''
    const onKey = (event: KeyboardEvent) => {
      const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
      if (isOpen && isLetter && !document.querySelector('dialog:modal')) {
        ahead.current += event.key
        return event.preventDefault()
      }
      // Loading starts before the K, so that text typed right after it is not lost.
      if (event.key === 'Control' || event.key === 'Meta') void loadSearch()
      // The editor is in a shadow tree, which the event's target does not show.
      const [at] = event.composedPath()
      const writing =
        at instanceof HTMLElement && at.closest('input, textarea, select, [contenteditable]') !== null
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !writing
      // An open dialog keeps the keyboard to itself.
      if ((!isShortcut && !isSlash) || document.querySelector('dialog:modal')) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return () => ahead.current
}
