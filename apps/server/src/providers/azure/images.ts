import type { OsTypeId } from '../os-types'
import type { ImagePlan, MarketplaceImage } from '../provider'

export type Architecture = 'x86_64' | 'arm64'

/** A marketplace image. An image with a plan has terms that a subscription accepts once. */
export interface Reference extends MarketplaceImage {
  plan: ImagePlan | null
}

/** publisher:offer:sku:version */
export const urnOf = ({ publisher, offer, sku, version }: MarketplaceImage) =>
  [publisher, offer, sku, version].join(':')
/** Publishers whose images have no plan; those of others are purchased, even if they are free. */
const withoutPlan = ['canonical', 'debian', 'credativ', 'openlogic', 'oracle', 'redhat', 'suse', 'microsoft']
/** The plan that an image usually has, for when Azure cannot be queried. */
export const guessPlan = ({ publisher, offer, sku }: Omit<MarketplaceImage, 'version'>): ImagePlan | null =>
  withoutPlan.some((name) => publisher.toLowerCase().startsWith(name))
    ? null
    : { name: sku, product: offer, publisher }
type Images = Partial<Record<Architecture, Reference>>

const of = (publisher: string, offer: string, sku: string): Reference => ({
  publisher,
  offer,
  sku,
  version: 'latest',
  plan: guessPlan({ publisher, offer, sku }),
})

/** Public second-generation images, which all current sizes support; docs/images.md has the sources. */
export const publicImages: Partial<Record<string, Images>> = {
  'centos-7': { x86_64: of('OpenLogic', 'CentOS', '7_9-gen2') },
  'rocky-8': { x86_64: of('resf', 'rockylinux-x86_64', '8-base') },
  'rocky-9': { x86_64: of('resf', 'rockylinux-x86_64', '9-base') },
  'ubuntu-22.04': {
    x86_64: of('Canonical', '0001-com-ubuntu-server-jammy', '22_04-lts-gen2'),
    arm64: of('Canonical', '0001-com-ubuntu-server-jammy', '22_04-lts-arm64'),
  },
  'ubuntu-24.04': {
    x86_64: of('Canonical', 'ubuntu-24_04-lts', 'server'),
    arm64: of('Canonical', 'ubuntu-24_04-lts', 'server-arm64'),
  },
  'debian-12': {
    x86_64: of('Debian', 'debian-12', '12-gen2'),
    arm64: of('Debian', 'debian-12', '12-arm64'),
  },
} satisfies Record<OsTypeId, Images>

// A size consists of a family in uppercase, a number of cores, and features in lowercase: Standard_D4ps_v5.
const features = (size: string) => /^Standard_[A-Z]+\d+(?:-\d+)?([a-z]*)/.exec(size)?.[1] ?? ''

/** The feature p stands for ARM processors. */
export const architectureOf = (size: string): Architecture =>
  features(size).includes('p') ? 'arm64' : 'x86_64'

/** The feature s stands for premium disks; older sizes have a capital S in their family, as in Standard_DS3_v2. */
export const PREMIUM_SIZES = String.raw`^Standard_(?:[A-Z]+\d+(?:-\d+)?[a-z]*s|[A-Z]+S\d)`
export const supportsPremiumStorage = (size: string) => new RegExp(PREMIUM_SIZES).test(size)

/**
 * Sizes with accelerated networking, by family; not every one was verified on
 * learn.microsoft.com/azure/virtual-machines/sizes. Azure rejects a machine whose size does not support it, and names
 * the size. Sizes with InfiniBand are excluded: accelerated networking adds a second interface of the same kind, which
 * MPI would mistake for the InfiniBand one.
 */
const ACCELERATED = [
  String.raw`DS(?:[2-5]|1[1-5])_v2`,
  // Sizes with two threads per core support it from four vCPUs.
  String.raw`[DE](?:[4-9]|\d{2,})a?d?s?_v[34]`,
  String.raw`F(?:[4-9]|\d{2,})s_v2`,
  String.raw`[DE]\d+[a-z]*_v[56]`,
  String.raw`FX\d+mds`,
  String.raw`M\d+ms`,
  'B(?:12|16|20)ms',
  String.raw`NC\d+as_T4_v3`,
  String.raw`NC\d+a[a-z]+_(?:A100_v4|H100_v5)`,
  String.raw`NV\d+ad?m?s_A10_v5`,
]
export const acceleratesNetwork = (size: string) =>
  new RegExp(`^Standard_(?:${ACCELERATED.join('|')})$`).test(size)

/** The feature r stands for InfiniBand, in families that have it: Standard_HC44rs, Standard_ND96asr_v4. */
export const INFINIBAND_SIZES = String.raw`Standard_[HN][A-Z]*\d+(?:-\d+)?[a-z]*r`
export const hasInfiniband = (size: string) => new RegExp(`^${INFINIBAND_SIZES}`).test(size)
