import { useQuery } from '@tanstack/react-query'
import { Link, useMatches, useRouter } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { apiKey } from '../../api/query'
import { useConfig } from '../../api/config'
import { titleOf, type RouteRow } from '../../route-row'
import { Glyph } from '../../ui/status/icon'
import { crumbsOf, namedBy, namedById, type Crumb } from './crumbs'

/** The path from the list to the current page; shown only on pages below a list, and only if there is room. */
export default function Breadcrumbs() {
  const match = useMatches({ select: (matches) => matches.at(-1) })
  const router = useRouter()
  const path = match?.staticData.row?.path
  // A level without a page of its own, such as /pages, is left out.
  const rowOf = (crumb: Crumb): RouteRow | undefined => {
    const [matched] = router.getMatchedRoutes(crumb.to)
    const row = matched.at(-1)?.options.staticData?.row
    return row && row.path.replace(/\/\{-\$\w+\}$/, '') === crumb.path ? row : undefined
  }
  const crumbs = (path ? crumbsOf(path, match.pathname) : []).flatMap((crumb) => {
    const row = rowOf(crumb)
    return row ? [{ ...crumb, row }] : []
  })
  if (crumbs.length < 2) return <span className="flex-1" />
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-auto">
      <ol className="flex min-w-0 items-center gap-1 text-body text-ink-3 max-md:hidden">
        {crumbs.map((crumb, at) => (
          <li key={crumb.path} className="flex min-w-0 items-center gap-1 first:shrink-0">
            {at > 0 && <Glyph icon={ChevronRight} className="size-3.5 shrink-0" />}
            {at === crumbs.length - 1 ? (
              <span aria-current="page" className="truncate text-ink-2">
                <Name crumb={crumb} row={crumb.row} />
              </span>
            ) : (
              <Link
                to={crumb.to}
                search={crumb.path.startsWith('/account') ? keptSearch(match?.search ?? {}) : {}}
                className="truncate rounded-mark underline-offset-2 hover:text-ink-1 hover:underline"
              >
                <Name crumb={crumb} row={crumb.row} />
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** The period of accounting pages, which the links to the pages above keep. */
const keptSearch = (search: object) =>
  Object.fromEntries(Object.entries(search).filter(([name]) => ['range', 'from', 'to'].includes(name)))

/** The name of the page's resource once the page has loaded it; until then, the title of the page. */
function Name({ crumb: { path, to }, row }: { crumb: Crumb; row: RouteRow }) {
  const config = useConfig()
  const endpoint = namedBy[path]
  const id = decodeURIComponent(to.split('/').at(-1) ?? '')
  // Only observes the data that the page fetches; a breadcrumb fetches nothing.
  const { data } = useQuery<{ name?: string }>({
    queryKey: endpoint ? apiKey(endpoint, { id }) : ['breadcrumb without a name'],
    enabled: false,
  })
  return data?.name ?? (namedById.has(path) ? id : titleOf(row, config))
}
