import type { OsTypeId } from '../os-types'

interface Image {
  operating_system: string
  operating_system_version: string
}

/** Platform images as Oracle names them; docs/images.md says where, and why the others are not there. */
export const publicImages: Partial<Record<string, Image>> = {
  'ubuntu-22.04': { operating_system: 'Canonical Ubuntu', operating_system_version: '22.04' },
  'ubuntu-24.04': { operating_system: 'Canonical Ubuntu', operating_system_version: '24.04' },
} satisfies Partial<Record<OsTypeId, Image>>

export const isFlexible = (shape: string) => shape.endsWith('.Flex')
export const isBareMetal = (shape: string) => shape.startsWith('BM.')
