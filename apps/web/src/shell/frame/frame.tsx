import { Outlet, lazyRouteComponent, useMatches, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useConfig } from '../../api/config'
import { titleOf } from '../../route-row'
import { BareFrame } from './bare-frame'

const Shell = lazyRouteComponent(() => import('../shell'))
export const loadShell = (): Promise<void> | undefined => Shell.preload?.()

/** Surrounds every page with the parts that depend only on the route. */
export function Frame() {
  const match = useMatches({ select: (matches) => matches.at(-1) })
  const config = useConfig()
  const row = match?.staticData.row
  const title = row && titleOf(row, config)
  useEffect(() => {
    if (title) document.title = `${title} · ${config.branding.name}`
  }, [title, config])
  useHeadingFocus()
  useShellAhead()

  return useIsInShell() ? (
    <Shell>
      <Outlet />
    </Shell>
  ) : (
    <BareFrame>
      <Outlet />
    </BareFrame>
  )
}

/** Read from the match, not from the session, so that page and frame change together. */
export const useIsInShell = (): boolean =>
  useMatches({
    select: (matches) => {
      const context = matches.at(-1)?.context
      return context !== undefined && 'inShell' in context && context.inShell === true
    },
  })

/** Announces the new heading to screen readers. A changed filter in the URL is not a new page. */
function useHeadingFocus(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        const heading = document.querySelector<HTMLElement>('main h1') ?? document.querySelector('main')
        // A page that set the focus itself (on a first field) keeps it, and a menu that was opened while the page
        // loaded would close without the focus.
        if (!heading || document.activeElement?.closest('main, [popover]')) return
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }),
    [router],
  )
}

/** A user who starts to fill in a form will soon need the shell: load it in advance. */
function useShellAhead(): void {
  useEffect(() => {
    const ahead = () => void loadShell()
    addEventListener('input', ahead, { once: true })
    return () => removeEventListener('input', ahead)
  }, [])
}
