import { homeOf } from '@flotilla/contract/access'
import type { ServedConfig } from '@flotilla/contract/site/config'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { createElement } from 'react'
import { paths } from './paths'
import type { RouteRow } from './route-row'
import { routes } from './routes'
import { guard } from './session/guard'
import { currentUser, session } from './session/store'
import { Frame, loadShell, useIsInShell } from './shell/frame/frame'
import { PageFailed } from './shell/gates/page-failed'
import { PagePending } from './shell/gates/page-pending'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Where the user wanted to go before they had to log in. */
    returnTo?: string
  }
  interface StaticDataRouteOption {
    row?: RouteRow
  }
}

const root = createRootRouteWithContext<{ config: ServedConfig }>()({ component: Frame })

/** Search parameters are plain strings here: a code such as 012345 must not become a number. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
const stringifySearch = (search: Record<string, unknown>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean') {
      params.set(name, String(value))
    }
  }
  return params.size > 0 ? `?${params}` : ''
}

/** The page and its shell, fetched in parallel. */
const component = ({ page, guestPage, layout }: RouteRow) => {
  const forPerson = lazyRouteComponent(async () => {
    const [module] = await Promise.all([page(), layout !== 'bare' && currentUser() ? loadShell() : null])
    return module
  })
  if (!guestPage) return forPerson
  const forGuest = lazyRouteComponent(guestPage)
  function Either() {
    return useIsInShell() ? createElement(forPerson) : createElement(forGuest)
  }
  Either.preload = async () => (currentUser() ? forPerson : forGuest).preload?.()
  return Either
}

const rowRoute = (row: RouteRow) =>
  createRoute({
    getParentRoute: () => root,
    path: row.path,
    staticData: { row },
    component: component(row),
    beforeLoad: ({ location, context: { config } }) => {
      const now = session.get()
      const user = currentUser()
      const verdict = guard({
        access: row.access,
        user,
        path: location.href,
        returnTo: location.state.returnTo,
        keepPath: now.status !== 'guest' || now.keepPath,
      })
      if (verdict !== 'enter') {
        const { pathname, search } = new URL(verdict.go, window.location.origin)
        throw redirect({
          to: pathname,
          search: parseSearch(search),
          state: verdict.returnTo ? { returnTo: verdict.returnTo } : {},
          replace: true,
        })
      }
      const elsewhere = row.closed?.(config)
      if (elsewhere) throw redirect({ to: elsewhere, replace: true })
      return { inShell: row.layout !== 'bare' && user !== null }
    },
  })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const user = currentUser()
    throw redirect({ to: user ? homeOf(user.role) : paths.login(), replace: true })
  },
})

const unknown = createRoute({
  getParentRoute: () => root,
  path: '$',
  beforeLoad: ({ location }) => {
    throw redirect({ to: paths.error404(), search: { from: location.pathname }, replace: true })
  },
})

export const createAppRouter = (config: ServedConfig) =>
  createRouter({
    routeTree: root.addChildren([home, unknown, ...routes.map(rowRoute)]),
    context: { config },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultPendingMinMs: 200,
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  })
export type AppRouter = ReturnType<typeof createAppRouter>

/** Loads a page's code in advance, before it is known whether the user may see it. */
export function fetchPage(router: AppRouter, path: string): void {
  const [matched] = router.getMatchedRoutes(path)
  const row = matched.at(-1)?.options.staticData?.row
  row?.page().catch(() => undefined)
}
