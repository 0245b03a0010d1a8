import type { Endpoint } from '@flotilla/contract/endpoint'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { courses } from '@flotilla/contract/courses/courses'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { trainings } from '@flotilla/contract/trainings/trainings'

/** A page above the current one, or the current one. */
export type Crumb = {
  /** In the syntax of the route table. */
  path: string
  to: string
}

/** The calls of pages that show one resource, whose replies contain its name. */
export const namedBy: Record<string, Endpoint> = {
  '/jobs/$id': jobs.view,
  '/clusters/$id': clusters.view,
  '/stacks/$id': stacks.view,
  '/trainings/$id': trainings.view,
  '/courses/$id': courses.view,
}

/** Pages that are named after the ID of their resource. */
export const namedById: ReadonlySet<string> = new Set(['/account/$id'])

/** The pages above those whose path does not begin with the path of the page above. */
const above: Record<string, { path: string; to: (id: string) => string }[]> = {
  '/account-cluster/$idCluster': [{ path: '/account', to: () => '/account' }],
  '/account-job/$useracount': [
    { path: '/account', to: () => '/account' },
    { path: '/account/$id', to: (id) => `/account/${id}` },
  ],
}

/** Tabs are part of their page, and edit pages are below the page of what they edit. */
export function crumbsOf(path: string, pathname: string): Crumb[] {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{-'))
  const real = pathname.split('/').filter(Boolean)
  const higher = above[path]
  if (higher)
    return [
      ...higher.map(({ path: at, to }) => ({ path: at, to: to(real.at(-1) ?? '') })),
      { path, to: pathname },
    ]
  const upTo = (list: string[], count: number) => `/${list.slice(0, count).join('/')}`
  return parts.map((_, at) => ({ path: upTo(parts, at + 1), to: upTo(real, at + 1) }))
}
