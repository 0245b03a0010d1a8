import type { OsTypeId } from '../os-types'

interface Image {
  operating_system: string
  operating_system_version: string
}

/**
 * Oracle's names of its platform images; docs/images.md has the sources, and explains why other systems are missing.
 */
export const publicImages: Partial<Record<string, Image>> = {
  'ubuntu-22.04': { operating_system: 'Canonical Ubuntu', operating_system_version: '22.04' },
  'ubuntu-24.04': { operating_system: 'Canonical Ubuntu', operating_system_version: '24.04' },
} satisfies Partial<Record<OsTypeId, Image>>

export const isFlexible = (shape: string) => shape.endsWith('.Flex')
export const isBareMetal = (shape: string) => shape.startsWith('BM.')
