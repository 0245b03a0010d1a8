import { paths } from './paths'

/** A tab of the settings, with keywords for the search. */
type SettingsTab = { id: string; label: string; also: string }

/** The user's own tabs. The first three have the paths of the specification. */
export const ownTabs = [
  { to: paths.profile(), label: 'Profile', also: 'name email account me activity' },
  { to: paths.settingsUser(), label: 'Security', also: 'password sessions access tokens ssh key api' },
  { to: paths.generalSettings(), label: 'Appearance', also: 'general theme dark light palette times' },
  { to: paths.settingsUser('notifications'), label: 'Notifications', also: 'email notices alerts' },
  { to: paths.settingsUser('usage'), label: 'Usage', also: 'my core hours cost' },
] as const

/** The site's tabs, for admins. */
export const siteTabs = [
  { id: 'users', label: 'Users', also: 'people accounts invite roles approve' },
  { id: 'security', label: 'Security', also: 'sign-in idle registration approval' },
  { id: 'license', label: 'License', also: '' },
  { id: 'interface', label: 'Interface', also: 'branding logo name color intro features' },
  { id: 'ldap', label: 'LDAP', also: 'directory servers active' },
  { id: 'two-step', label: 'Two-step', also: 'verification code 2fa' },
  { id: 'mail', label: 'Mail', also: 'smtp email' },
  { id: 'cluster', label: 'Cluster', also: 'vnc remote desktops' },
  { id: 'cloud', label: 'Cloud', also: 'shapes prices torque repository' },
  { id: 'acm', label: 'ACM', also: 'maas machines release nodes' },
  { id: 'leftovers', label: 'Leftovers', also: 'cloud resources disks' },
  { id: 'backup', label: 'Backup', also: 'restore' },
  { id: 'doctor', label: 'Doctor', also: 'health programs missing' },
  { id: 'audit', label: 'Audit', also: 'trail activities log' },
] as const satisfies readonly SettingsTab[]
export type SiteTab = (typeof siteTabs)[number]['id']

/** The first tab is shown at the bare path. */
export const siteTabPath = (id: SiteTab): string => paths.settings(id === 'users' ? undefined : id)
