import { useRouterState } from '@tanstack/react-router'
import { ArrowLeft, Menu, Search, Zap } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { useUser } from '../../session/user'
import { Button, IconButton } from '../../ui/button/button'
import { Kbd } from '../../ui/text/kbd'
import { ButtonLink } from '../../ui/button/link'
import { CloudOffIcon } from '../gates/cloud-off-icon'
import { SessionCountdown } from '../banners/session-countdown'
import { SiteLabels } from './site-labels'
import { backTarget, hasQuickJob } from './toolbar-rules'
import { UserMenu } from './user-menu'

/** Loaded lazily, because it imports the calls of every kind of resource, and lists do not show it. */
const Breadcrumbs = lazy(() => import('./breadcrumbs'))

type ToolbarProps = {
  onMenu: () => void
  onSearch: () => void
  /** Called when the pointer or the focus is on the search, so that its code can be loaded in advance. */
  onSearchNear: () => void
  onQuickJob: () => void
  onQuickJobNear: () => void
}

export function Toolbar(props: ToolbarProps) {
  const user = useUser()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const back = backTarget(pathname, user)
  const isBelowList = pathname.split('/').filter(Boolean).length > 1
  const { onMenu, onSearch, onSearchNear, onQuickJob, onQuickJobNear } = props
  return (
    <header className="print:hidden sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line-1 bg-surface-1 px-3 md:px-6">
      <IconButton label="Open navigation" icon={Menu} onClick={onMenu} className="md:hidden" />
      {back && (
        <ButtonLink to={back} variant="ghost" icon={ArrowLeft} className="md:-ml-2">
          <span className="max-sm:sr-only">Back</span>
        </ButtonLink>
      )}
      <Suspense fallback={<span className="flex-1" />}>
        {isBelowList ? <Breadcrumbs /> : <span className="flex-1" />}
      </Suspense>
      <SiteLabels />
      <CloudOffIcon />
      <SessionCountdown />
      <button
        type="button"
        aria-label="Search navigation"
        aria-keyshortcuts="Control+K /"
        onClick={onSearch}
        onPointerEnter={onSearchNear}
        onFocus={onSearchNear}
        className="flex h-8 items-center gap-2 rounded-control border border-line-2 bg-surface-2 px-2 text-body text-ink-3 hover:bg-surface-3 max-lg:shrink-0 lg:max-w-56 lg:min-w-32 lg:grow-100 lg:basis-32"
      >
        <Search size={16} strokeWidth={1.75} aria-hidden />
        <span className="flex-1 text-left max-lg:hidden">Search</span>
        <span className="max-lg:hidden">
          <Kbd>Ctrl K</Kbd>
        </span>
      </button>
      {hasQuickJob(pathname, user) && (
        <Button
          icon={Zap}
          aria-label="Quick job"
          onClick={onQuickJob}
          onPointerEnter={onQuickJobNear}
          onFocus={onQuickJobNear}
        >
          <span className="max-md:hidden">Quick job</span>
        </Button>
      )}
      <UserMenu />
    </header>
  )
}
