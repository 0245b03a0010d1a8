import type { ProvidersOverride } from '@flotilla/contract/clouds/providers'
import type { Catalog } from '../../providers/provider'
import type { Synced } from './store'

type Named = { source: string; date: string }

/** A catalog whose regions may each have their own source. */
export type Merged = Catalog & {
  /** The sources of the regions that were synced. */
  sources: Record<string, Named>
}

const OVERRIDE = 'assets/providers.json'
const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/**
 * What is known of a provider's sizes: the committed catalog, overridden by what the cloud reported, overridden by the
 * operator's file. Null if nothing is known.
 */
export function merge(
  committed: Catalog | null,
  synced: Synced[],
  override: ProvidersOverride[keyof ProvidersOverride],
): Merged | null {
  const [first] = synced
  if (committed === null && first === undefined && override === undefined) return null
  const base: Catalog = committed ?? {
    source: first?.source ?? OVERRIDE,
    date: first ? dayOf(first.synced_at) : '',
    regions: [],
    sizes: [],
    prices: {},
  }
  const sizes = new Map(base.sizes.map((size) => [size.instance_id, size]))
  // What a cloud does not report about a size, such as the model of its GPUs, is still known from the catalog.
  for (const size of synced.flatMap((row) => row.sizes))
    sizes.set(size.instance_id, { ...sizes.get(size.instance_id), ...size })
  const replaced = override?.instanceSizes
  // Where the cloud returned sizes but no prices, those of the catalog apply, with their own source.
  const priced = synced.filter(({ prices }) => Object.keys(prices).length > 0)
  return {
    ...base,
    source: replaced && base.source !== OVERRIDE ? `${OVERRIDE}; prices: ${base.source}` : base.source,
    regions: override?.regions ?? base.regions,
    sizes: replaced ?? [...sizes.values()],
    // A synced region has only current prices: the old price of a size that it no longer offers does not apply.
    prices: { ...base.prices, ...Object.fromEntries(priced.map(({ region, prices }) => [region, prices])) },
    diskPrices: {
      ...base.diskPrices,
      ...Object.fromEntries(
        priced
          .filter(({ beside }) => Object.keys(beside.disks).length > 0)
          .map(({ region, beside }) => [region, beside.disks]),
      ),
    },
    fastRestorePrices: Object.fromEntries(
      priced.flatMap(({ region, beside }) =>
        beside.fastRestore === null ? [] : [[region, beside.fastRestore]],
      ),
    ),
    sources: Object.fromEntries(
      priced.map(({ region, source, synced_at }) => [region, { source, date: dayOf(synced_at) }]),
    ),
  }
}

/** The catalog as it is in one region, with the source of that region's prices. */
export const inRegion = ({ sources, ...catalog }: Merged, region: string): Catalog => ({
  ...catalog,
  ...sources[region],
})
