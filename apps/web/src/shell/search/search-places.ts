import { mayAccess } from '@flotilla/contract/access'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { NAV_SEARCH_MAX } from '@flotilla/contract/limits'
import type { User } from '@flotilla/contract/people/users'
import { paths } from '../../paths'
import { navGroups, settingsPath } from '../frame/nav-items'

/** A place to go. `also` are keywords for it. */
export type Place = { to: string; label: string; under: string; also: string }

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

/** Everything the user can go to, in navigation order. */
export function places(user: Pick<User, 'role'>, config: ServedConfig, trainingsAllowed: boolean): Place[] {
  const found: Place[] = navGroups(user, config, trainingsAllowed).flatMap(({ heading, items }) =>
    items.map(({ to, label }) => ({ to, label, under: heading ?? 'Overview', also: keywords[to] ?? '' })),
  )
  const settings = settingsPath(user)
  if (settings === paths.settingsUser()) {
    found.push({ to: settings, label: 'Settings', under: 'You', also: 'password sessions' })
  }
  if (mayAccess('member', user.role)) {
    found.push(
      {
        to: paths.generalSettings(),
        label: 'General settings',
        under: 'You',
        also: 'theme dark light palette tokens',
      },
      { to: paths.profile(), label: 'Profile', under: 'You', also: 'name email account me' },
    )
  }
  return found
}

/** Every typed word must match the start of a word of the place; names that start with the text come first. */
export function searchPlaces(all: Place[], text: string): Place[] {
  const typed = words(text)
  const matches = all.filter((place) => {
    const has = words(`${place.label} ${place.under} ${place.also}`)
    return typed.every((part) => has.some((word) => word.startsWith(part)))
  })
  const rank = ({ label }: Place): number =>
    label.toLowerCase().startsWith(text.trim().toLowerCase())
      ? 0
      : typed.every((part) => words(label).some((word) => word.startsWith(part)))
        ? 1
        : 2
  return matches.toSorted((one, other) => rank(one) - rank(other)).slice(0, NAV_SEARCH_MAX)
}

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s/-]+/)
    .filter(Boolean)
