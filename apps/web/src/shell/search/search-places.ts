import { isAdmin, mayAccess } from '@flotilla/contract/access'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { paths } from '../../paths'
import type { RoleHolder } from '../../session/page-roles'
import { ownTabs, siteTabPath, siteTabs } from '../../settings-tabs'
import { navGroups } from '../frame/nav-items'
import type { Suggestion } from './suggestions'

const keywords: Record<string, string> = {
  [paths.dashboard()]: 'overview load health status',
  [paths.credentials()]: 'keys cloud secrets aws azure gcp oracle maas',
  [paths.stacks()]: 'images packer build',
  [paths.clusters()]: 'nodes deploy marketplace hpc',
  [paths.jobs()]: 'batch queue submit script slurm torque',
  [paths.files()]: 'outputs upload download',
  [paths.trainings()]: 'workshop training session participants',
  [paths.apps()]: 'jupyter desktop interactive',
  [paths.courses()]: 'material teaching',
  [paths.account()]: 'usage cost report',
  [paths.settings()]: 'users ldap license two-step administration',
}

/** Every page and tab that the user can go to, in navigation order. */
export function places(user: RoleHolder, config: ServedConfig, trainingsAllowed: boolean): Suggestion[] {
  const place = (to: string, label: string, under: string, also: string): Suggestion => ({
    kind: 'place',
    key: to,
    label,
    under,
    also,
    to,
  })
  const found = navGroups(user, config, trainingsAllowed).flatMap(({ heading, items }) =>
    items.map(({ to, label }) => place(to, label, heading ?? 'Overview', keywords[to] ?? '')),
  )
  if (mayAccess('member', user.role))
    found.push(...ownTabs.map(({ to, label, also }) => place(to, label, 'Your settings', also)))
  // The first tab is at the address of the navigation's Settings item.
  if (isAdmin(user))
    found.push(
      ...siteTabs.map(({ id, label, also }) => ({
        ...place(siteTabPath(id), label, 'Settings', also),
        key: `settings ${id}`,
      })),
    )
  return found
}
