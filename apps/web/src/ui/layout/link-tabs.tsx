import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { tabClass, tabCountClass, tabListClass } from './tab-style'

export interface LinkTab {
  to: string
  label: string
  count?: number
  /** Selected only on exactly this path, for a tab whose path is a prefix of the others'. */
  exact?: boolean
}

/** Tabs that are part of the path: each is a separate page. */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) {
  const list = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    // On a phone, the selected tab may be off screen.
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
