import type { OsType } from '@flotilla/contract/clouds/providers'

/** The systems that our cloud-init and image scripts support. The first one is the specification's default. */
const osTypes = [
  { id: 'centos-7', name: 'CentOS 7', endOfLife: '2024-06-30' },
  { id: 'rocky-8', name: 'Rocky Linux 8' },
  { id: 'rocky-9', name: 'Rocky Linux 9' },
  { id: 'ubuntu-22.04', name: 'Ubuntu 22.04' },
  { id: 'ubuntu-24.04', name: 'Ubuntu 24.04' },
  { id: 'debian-12', name: 'Debian 12' },
] as const satisfies OsType[]
export type OsTypeId = (typeof osTypes)[number]['id']

/** All systems, with the reason for those without a public image of this provider. */
export const osTypesOf = (
  unavailable: Partial<Record<OsTypeId, string>>,
  images: Partial<Record<OsTypeId, Pick<OsType, 'arch' | 'disk'>>>,
): OsType[] =>
  osTypes.map((type) => {
    const reason = unavailable[type.id]
    return { ...type, ...images[type.id], ...(reason !== undefined && { unavailable: reason }) }
  })
