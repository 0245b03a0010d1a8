import { countText } from '@flotilla/contract/count-text'
import * as z from 'zod/mini'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { messages } from '@flotilla/contract/messages'
import {
  InstanceSize,
  isSynced,
  type OsType,
  type Provider,
  type ProvidersOverride,
} from '@flotilla/contract/clouds/providers'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { OtherPrices, Catalog } from '../../providers/provider'
import { cloudProviders, isProviderId } from '../../providers/registry'
import { record } from '../activities/activities'
import type { Clouds } from '../clouds/clouds'
import type { Credentials } from '../credentials/credentials'
import { notifySettingsChanged } from '../../live/live'
import { inRegion, merge, type Merged } from './merge'
import * as store from './store'

type Options = {
  db: Database
  /** The operator's file. */
  overrides: () => Promise<ProvidersOverride | null>
  /** The providers that are offered to this person. */
  offeredTo: (me: Caller) => Promise<ProviderId[]>
  credentials: Pick<Credentials, 'use' | 'requireScope'>
  clouds: Pick<Clouds, 'driver' | 'queryCloud' | 'sizes' | 'simulated'>
  /** An admin's settings for all providers. */
  siteFacts: () => Promise<SiteFacts>
  now: () => number
}

const Sizes = z.array(InstanceSize)
const Prices = z.record(z.string(), z.number())
const OtherPricesSchema = z.object({ disks: Prices, fastRestore: z.nullable(z.number()) })
const NO_OTHER_PRICES = { disks: {}, fastRestore: null }

export type Providers = ReturnType<typeof makeProviders>
export function makeProviders({ db, overrides, offeredTo, credentials, clouds, siteFacts, now }: Options) {
  /** Recreated only when something was synced or the operator's file changed. */
  let made: { mark: string; override: ProvidersOverride | null; all: Promise<Known> } | undefined
  const known = async (): Promise<Known> => {
    const [override, marks] = await Promise.all([overrides(), store.marks(db.kysely)])
    const mark = marks.map((one) => `${one.provider} ${one.region} ${one.synced_at.getTime()}`).join('\n')
    if (!made || made.mark !== mark || made.override !== override) {
      const all = collect(override)
      made = { mark, override, all }
      // A failed load is not kept.
      all.catch(() => (made = undefined))
    }
    return made.all
  }
  const collect = async (override: ProvidersOverride | null): Promise<Known> => {
    const synced = (await store.synced(db.kysely)).map((row) => ({
      ...row,
      sizes: Sizes.parse(row.sizes),
      prices: Prices.parse(row.prices),
      beside: OtherPricesSchema.parse(row.beside),
    }))
    const merged = await Promise.all(
      providerIds.map(async (id): Promise<[ProviderId, Merged | null]> => {
        const rows = synced.filter(({ provider }) => provider === id)
        return [id, merge(await cloudProviders[id].catalog(), rows, override?.[id])]
      }),
    )
    return view(Object.fromEntries(merged) as Record<ProviderId, Merged | null>, clouds.simulated)
  }

  const catalogFor = async (provider: ProviderId, region: string): Promise<Catalog | null> => {
    const { catalogs } = await known()
    return catalogs[provider] && inRegion(catalogs[provider], region)
  }
  const keepSynced = async (
    tx: Transaction,
    row: Omit<store.Synced, 'synced_at' | 'beside'> & { beside?: OtherPrices },
  ): Promise<void> => {
    await store.keep(tx, { beside: NO_OTHER_PRICES, ...row, synced_at: new Date(now()) })
    await notifySettingsChanged(tx)
  }
  const sizesNow = async (provider: ProviderId, data: CredentialData, region: string) => {
    const { name } = cloudProviders[provider]
    const { driver, sizes } = clouds
    const found = await clouds.queryCloud(provider, data, () =>
      sizes(provider, region, () => driver(provider, data, region)),
    )
    if (!found?.sizes.length)
      return fail('cloud_refused', { message: `${name} returned no sizes for ${region}. Try again later.` })
    return found
  }

  return {
    async list(me: Caller): Promise<Provider[]> {
      const [{ views }, offered, ofSite] = await Promise.all([known(), offeredTo(me), siteFacts()])
      return offered.map((id) => ({ ...views[id], ...ofSite }))
    },
    sizesHash: async () => (await known()).hash,
    async prices(provider: string, region: string) {
      if (!isProviderId(provider)) return fail('not_found')
      const catalog = await catalogFor(provider, region)
      const { source = 'no price list', date = '' } = catalog ?? {}
      const fastRestore = catalog?.fastRestorePrices?.[region] ?? null
      return { source, date, prices: catalog?.prices[region] ?? {}, fastRestore }
    },
    osTypes: (provider: string): OsType[] =>
      isProviderId(provider) ? cloudProviders[provider].osTypes : fail('not_found'),

    /** What is known of sizes and prices in a region; null where there is no list. */
    catalogFor,
    sizeOf: async (provider: ProviderId, instanceId: string): Promise<InstanceSize | undefined> =>
      (await known()).catalogs[provider]?.sizes.find(({ instance_id }) => instance_id === instanceId),
    keepSynced,

    async sync(
      me: Caller,
      { credentialId = '', region = '' }: { credentialId?: string; region?: string },
      context: RequestContext,
    ) {
      const fields = {
        ...(credentialId === '' && { credentialId: messages.syncNeedsCredential }),
        ...(region === '' && { region: messages.syncNeedsRegion }),
      }
      const [message] = Object.values(fields)
      if (message !== undefined) fail('bad_input', { message, fields })
      await credentials.requireScope(me, credentialId, context)
      const { provider, data } = await credentials.use(credentialId, me)
      if (!isSynced(provider)) {
        const wrong = messages.syncNeedsCredential
        fail('bad_input', { message: wrong, fields: { credentialId: wrong } })
      }
      const { name } = cloudProviders[provider]
      // The region becomes part of the address of a request.
      const { catalogs } = await known()
      if (!catalogs[provider]?.regions.some(({ region_id }) => region_id === region))
        fail('bad_input', {
          message: messages.syncNeedsRegion,
          fields: { region: `${name} has no such region` },
        })
      const { sizes, prices, source, beside = NO_OTHER_PRICES } = await sizesNow(provider, data, region)
      await context.transaction(async (tx) => {
        await keepSynced(tx, { provider, region, source, sizes, prices, beside })
        const count = Object.keys(prices).length
        const detail = `${countText(sizes.length, 'size')}, ${count > 0 ? countText(count, 'price') : 'catalog prices: the cloud reported none'}`
        await record(tx, me, context, {
          action: 'synced',
          subject: { kind: 'catalog', id: region, name: `${name} shapes in ${region}` },
          detail,
        })
      })
      return { success: true as const, message: messages.shapesSynced }
    },
  }
}

type SiteFacts = Pick<Provider, 'torqueSource' | 'torquePackages' | 'desktopDefaults' | 'consoleRanges'>
type Known = ReturnType<typeof view>
function view(catalogs: Record<ProviderId, Merged | null>, simulated: boolean) {
  const one = (id: ProviderId): Omit<Provider, keyof SiteFacts> => {
    const {
      catalog: _lazily,
      infrastructure: _module,
      driver: _driver,
      imageBuilder: _image,
      ...facts
    } = cloudProviders[id]
    const found = catalogs[id]
    return {
      ...facts,
      regions: found?.regions ?? [],
      instanceSizes: found?.sizes ?? [],
      catalog: found && { source: found.source, date: found.date },
      simulated,
    }
  }
  const views = Object.fromEntries(providerIds.map((id) => [id, one(id)])) as Record<
    ProviderId,
    Omit<Provider, keyof SiteFacts>
  >
  const sizes = providerIds.flatMap((id) => views[id].instanceSizes)
  return {
    catalogs,
    views,
    hash: Object.fromEntries(sizes.map(({ instance_id, cores, gpus = 0 }) => [instance_id, { cores, gpus }])),
  }
}
