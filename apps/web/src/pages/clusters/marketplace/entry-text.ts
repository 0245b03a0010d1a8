import { providerNames } from '@flotilla/contract/site/config'
import { managerNames } from '@flotilla/contract/clusters/inputs'
import type { MarketplaceEntry } from '@flotilla/contract/stacks/marketplace'

export const targetNames: Record<MarketplaceEntry['target'][number], string> = {
  'higher-education': 'Higher education',
  research: 'Research',
  industry: 'Industry',
  government: 'Government',
  'k-12': 'K-12',
}

export interface EntryFilter {
  text: string
  platform: string
  target: string
}

/** The entries whose card contains every word of the search text and that match the platform and target. */
export function fittingEntries(
  entries: readonly MarketplaceEntry[],
  { text, platform, target }: EntryFilter,
): MarketplaceEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter((entry) => {
    const { name, vendor, description, config } = entry
    const searchable = [
      name,
      vendor,
      description,
      providerNames[entry.platform],
      managerNames[config.resource_manager],
      ...config.os_types,
      ...config.computeNodeSize,
      ...entry.target.map((one) => targetNames[one]),
    ]
      .join(' ')
      .toLowerCase()
    return (
      (platform === '' || entry.platform === platform) &&
      (target === '' || entry.target.some((one) => one === target)) &&
      words.every((word) => searchable.includes(word))
    )
  })
}

export const notReady = 'This entry is not available yet'

export interface UserProviders {
  /** The providers available to the user. */
  offered: readonly string[]
  /** The providers for which the user has a credential. */
  withCredential: readonly string[]
  isAdmin: boolean
}

/** Whether the user is an admin who could launch the entry after adding a credential. */
export const lacksOnlyCredential = ({ action, platform }: MarketplaceEntry, means: UserProviders): boolean =>
  action === 'Launch' &&
  means.isAdmin &&
  means.offered.includes(platform) &&
  !means.withCredential.includes(platform)

/** Why the user cannot launch the entry, or null. */
export function launchBlockedReason(
  { action, platform }: MarketplaceEntry,
  means: UserProviders,
): string | null {
  const name = providerNames[platform]
  if (action === 'Soon') return notReady
  if (!means.offered.includes(platform))
    return means.isAdmin
      ? `${name} is not enabled for this site or for you`
      : `${name} is not available to you. Ask an admin to add it to your providers`
  if (!means.withCredential.includes(platform))
    return means.isAdmin
      ? `No credential for ${name} yet`
      : `No credential for ${name} is shared with you. Ask an admin for one`
  return null
}

const systems: Record<string, string> = {
  ubuntu: 'Ubuntu',
  rocky: 'Rocky Linux',
  debian: 'Debian',
  centos: 'CentOS',
}
/** 'Ubuntu 24.04' for ubuntu-24.04. */
export function systemName(osType: string): string {
  const [name = '', version = ''] = osType.split('-')
  return `${systems[name] ?? name} ${version}`.trim()
}

/** The image that the machines boot from, so that users do not mistake it for an image of this product. */
export const imageText = ({ config }: MarketplaceEntry): string =>
  Object.keys(config.marketplace_images).length > 0 || config.publisher !== ''
    ? 'Boots from a marketplace image.'
    : `Boots from the public ${systemName(config.os_types[0] ?? '')} image. The software is installed when it is deployed.`
