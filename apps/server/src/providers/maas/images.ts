import type { OsTypeId } from '../os-types'

/** MAAS's names of the systems in its image store; docs/images.md has the sources. */
export const publicImages: Partial<Record<string, string>> = {
  'centos-7': 'centos70',
  'ubuntu-22.04': 'jammy',
  'ubuntu-24.04': 'noble',
} satisfies Partial<Record<OsTypeId, string>>
