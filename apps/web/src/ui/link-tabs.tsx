import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { tabClass, tabCountClass, tabListClass } from './tab-style'

export interface LinkTab {
  to: string
  label: string
  count?: number
  /** Selected only on exactly this path: for the tab whose path is the start of the others'. */
  exact?: boolean
}

/** Tabs whose choice is the address: each is a page of its own. */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) {
  const list = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    // On a phone the chosen one may be beyond the edge.
    const chosen = list.current?.querySelector('[aria-current]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return (
    <nav ref={list} aria-label={label} className={tabListClass}>
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          activeOptions={{ exact: tab.exact ?? false, includeSearch: false }}
          activeProps={{ 'aria-current': 'page', className: tabClass(true) }}
          inactiveProps={{ className: tabClass(false) }}
        >
          {tab.label}
          {tab.count !== undefined && <span className={tabCountClass}>{tab.count}</span>}
        </Link>
      ))}
    </nav>
  )
}
