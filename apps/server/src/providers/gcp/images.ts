import type { OsTypeId } from '../os-types'

export type Architecture = 'x86_64' | 'arm64'
interface Image {
  project: string
  family: string
}
type Images = Partial<Record<Architecture, Image>>

const of = (project: string, x86_64: string, arm64?: string): Images => ({
  x86_64: { project, family: x86_64 },
  ...(arm64 ? { arm64: { project, family: arm64 } } : {}),
})

/** Families of public images; docs/images.md has the sources, and explains why there is no CentOS 7. */
export const publicImages: Partial<Record<string, Images>> = {
  'rocky-8': of('rocky-linux-cloud', 'rocky-linux-8', 'rocky-linux-8-optimized-gcp-arm64'),
  'rocky-9': of('rocky-linux-cloud', 'rocky-linux-9', 'rocky-linux-9-arm64'),
  'ubuntu-22.04': of('ubuntu-os-cloud', 'ubuntu-2204-lts', 'ubuntu-2204-lts-arm64'),
  'ubuntu-24.04': of('ubuntu-os-cloud', 'ubuntu-2404-lts-amd64', 'ubuntu-2404-lts-arm64'),
  'debian-12': of('debian-cloud', 'debian-12', 'debian-12-arm64'),
} satisfies Partial<Record<OsTypeId, Images>>

export const architectureOf = (machineType: string): Architecture =>
  /^(t2a|c4a|n4a|a4x)-/.test(machineType) ? 'arm64' : 'x86_64'

/** The newest families only support Hyperdisk, not Persistent Disk. */
export const ONLY_HYPERDISK = 'c4[ad]?|n4[ad]?|h4d|m4|x4|a4x?'
export const balancedDisk = (machineType: string) =>
  new RegExp(`^(?:${ONLY_HYPERDISK})-`).test(machineType) ? 'hyperdisk-balanced' : 'pd-balanced'

/** Machines with GPUs and those of the h families do not support live migration: they are stopped and restarted. */
export const hostMaintenance = (machineType: string, accelerators: number) =>
  accelerators > 0 || /^(a2|a3|a4x?|g2|g4|h3|h4d)-|-metal$/.test(machineType) ? 'TERMINATE' : 'MIGRATE'
