import { mayAccess } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import { paths } from '../../paths'

const isUnder = (pathname: string, parent: string): boolean =>
  pathname === parent || pathname.startsWith(`${parent}/`)

/** The account list and the settings have no back button and no quick job. */
const isPlain = (pathname: string): boolean =>
  pathname === paths.account() || isUnder(pathname, paths.settings())

const isAccountPage = (pathname: string): boolean => /^\/account(-job|-cluster)?\//.test(pathname)

/** Where the back button leads; null if there is none. */
export function backTarget(pathname: string, { role }: Pick<User, 'role'>): string | null {
  if (isPlain(pathname)) return null
  if (isAccountPage(pathname)) return paths.account()
  const hasClusters = mayAccess('userOrParticipant', role)
  return hasClusters && pathname !== paths.clusters() ? paths.clusters() : null
}

export const hasQuickJob = (pathname: string, { role }: Pick<User, 'role'>): boolean =>
  !isPlain(pathname) && mayAccess('user', role)
