import { useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Sort } from './sort'
import { noFilter, readHidden, readState, writeHidden, writeState } from './table-state'
import type { TableSettings, TableState } from './table-state'

/** Typing must not trigger the router with every keystroke. */
const WRITE_AFTER_MS = 250

interface Options {
  urlKey: string
  settings: TableSettings | undefined
  initialSort: Sort | null
}

/**
 * A table's filter and order, and the columns that are hidden. The URL wins, then the user's last settings, then the
 * page's default; changes are written to both. An external change of the URL (back, a menu link) is adopted.
 */
export function useTableState({ urlKey, settings, initialSort }: Options) {
  const router = useRouter()
  const search = useRouterState({ select: (state) => state.location.search })
  const [pathname] = useState(router.latestLocation.pathname)
  const read = (from: object) => readState(from, urlKey, initialSort)
  const [state, setState] = useState<TableState>(
    () => read(search) ?? read(settings?.load() ?? {}) ?? { filter: noFilter, sort: initialSort },
  )
  const [hidden, setHidden] = useState(() => readHidden(settings?.load() ?? {}, urlKey))
  const address = JSON.stringify(read(search))
  const written = useRef(address)

  // The URL changes before the page is left: the next page's URL is not about this table.
  const isHere = () => router.latestLocation.pathname === pathname

  const adopt = useEffectEvent(() => {
    if (address === written.current || !isHere()) return
    written.current = address
    setState(read(search) ?? { filter: noFilter, sort: initialSort })
  })
  useEffect(() => adopt(), [address])

  const save = useEffectEvent(() =>
    settings?.save({ ...writeState(state, urlKey, initialSort), ...writeHidden(hidden, urlKey) }),
  )
  const write = useEffectEvent(() => {
    if (!isHere()) return
    const { search: now, hash, pathname: here } = router.latestLocation
    const next = { ...now, ...writeState(state, urlKey, initialSort) }
    const target = JSON.stringify(read(next))
    if (target === JSON.stringify(read(now))) return
    written.current = target
    router.history.replace(`${here}${router.options.stringifySearch(next)}${hash ? `#${hash}` : ''}`)
  })
  useEffect(() => {
    // Immediately, so that a user who leaves right after a change finds it again.
    save()
    const timer = setTimeout(() => write(), WRITE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [state, hidden])

  return { state, setState, hidden, setHidden }
}
