import type * as z from 'zod/mini'
import { isAdmin, mayAccess } from '@flotilla/contract/access'
import { VERSION } from '@flotilla/contract/version'
import {
  type ClusterSettings,
  type LocalPrices,
  type SecurityChoices,
  type SecuritySettings,
  type SelfRegisteredAccess,
  type SiteSettings,
} from '@flotilla/contract/site/settings'
import { Preferences, type PreferencesChange, type UiSettings } from '@flotilla/contract/site/ui'
import { TorqueSetting, type TorqueSource } from '@flotilla/contract/site/torque-source'
import { providerNames, type ProviderId } from '@flotilla/contract/site/config'
import { changesOf } from '../../changes'
import type { ServerConfig } from '../../config'
import type { Database, Queryable } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import { record } from '../activities/activities'
import { makeAnnouncements } from './announcements'
import type { Choices } from './choices'
import { makeMachineAccess } from './machine-access'
import { notifySettingsChanged } from '../../live/live'
import { makeSiteConfig } from './site-config'
import * as store from './store'

const TORQUE = { kind: 'settings', id: 'torque-source', name: 'Torque package repository' } as const

export type Settings = ReturnType<typeof makeSettings>
type Options = {
  db: Database
  runtime: RuntimeConfigFiles
  choices: Choices
  config: Pick<ServerConfig, 'host' | 'trustProxy'>
  now: () => number
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/.test(host)

export function makeSettings({ db, runtime, choices, config, now }: Options) {
  // A server that listens on loopback is reachable only from this machine, unless a proxy forwards requests.
  const isPrivate = isLoopback(config.host) && config.trustProxy === false
  const selfRegisteredDefault: SelfRegisteredAccess = isPrivate ? 'immediately' : 'after-approval'
  const security = async (): Promise<SecuritySettings> => ({
    ...(await store.security(db.kysely)),
    selfRegisteredDefault,
  })
  const machineAccess = makeMachineAccess(db, security)
  const announcements = makeAnnouncements(db, now)
  const ui = async (me: Caller): Promise<UiSettings> => {
    const [{ providers, features }, found, access, waiting, { announcement }] = await Promise.all([
      runtime.config(),
      store.personal(db.kysely, me.id),
      machineAccess.of(me.id),
      isAdmin(me) ? machineAccess.waiting() : 0,
      announcements.current(),
    ])
    // The user was removed after the request was received.
    const person = found ?? fail('session_ended')
    const hasSeat = person.participant_email !== null
    const allowed = hasSeat || mayAccess('instructorOrParticipant', me.role)
    return {
      version: VERSION,
      providers: person.providers ?? providers,
      trainingsAllowed: features.workshops && allowed,
      features,
      preferences: Preferences.parse(person.preferences),
      machineAccess: access,
      waitingForApproval: waiting,
      announcement,
    }
  }
  const site = async (): Promise<SiteSettings> => {
    const { perCoreHour, perGpuHour, setAt, ...rest } = await store.site(db.kysely)
    return { ...rest, localPrices: { perCoreHour, perGpuHour, setAt: setAt?.getTime() ?? null } }
  }
  const torqueSetting = async (): Promise<TorqueSetting> =>
    TorqueSetting.parse({ source: await store.torqueSource(db.kysely) })
  return {
    ui,
    providersFor: async (me: Caller): Promise<UiSettings['providers']> => (await ui(me)).providers,
    /** Fails before anything new is created at a provider that is no longer available to the owner. */
    async requireProvider(
      on: Queryable,
      { owner_id, owner, provider }: { owner_id: string; owner: string; provider: ProviderId | 'local' },
    ): Promise<void> {
      if (provider === 'local') return
      const person = await store.personal(on, owner_id)
      if (!(person?.providers ?? (await runtime.config()).providers).includes(provider))
        fail('forbidden', {
          message: `${providerNames[provider]} is not available to ${owner}. An admin can change that in Settings.`,
        })
    },
    machineAccess,
    announcements,
    siteConfig: makeSiteConfig({ db, runtime, choices }),
    async setCluster(me: Caller, given: ClusterSettings, context: RequestContext): Promise<SiteSettings> {
      await context.transaction(async (tx) => {
        const changes = changesOf(await store.site(tx), given)
        if (changes.length === 0) return
        await store.setClusterDefaults(tx, given)
        await record(tx, me, context, {
          action: 'changed',
          subject: { kind: 'settings', id: 'cluster', name: 'cluster settings' },
          changes,
        })
        await notifySettingsChanged(tx)
      })
      return site()
    },
    async setPreferences(
      me: Caller,
      change: PreferencesChange,
      context: RequestContext,
    ): Promise<UiSettings> {
      await context.transaction((tx) => store.setPreferences(tx, me.id, change))
      return ui(me)
    },
    site,
    async setLocalPrices(
      me: Caller,
      prices: z.output<typeof LocalPrices>,
      context: RequestContext,
    ): Promise<SiteSettings> {
      await context.transaction(async (tx) => {
        const before = await store.site(tx)
        await store.setLocalPrices(tx, prices, new Date(now()))
        const priceText = (price: number | null) => (price === null ? 'no price' : `${price} USD per hour`)
        const detail = `core: ${priceText(prices.perCoreHour)}, GPU: ${priceText(prices.perGpuHour)}`
        await record(tx, me, context, {
          action: 'changed',
          subject: { kind: 'settings', id: 'local-prices', name: 'local cluster prices' },
          detail,
          changes: changesOf(before, prices),
        })
        await notifySettingsChanged(tx)
      })
      return site()
    },
    security,
    async setSecurity(
      me: Caller,
      change: Partial<SecurityChoices>,
      context: RequestContext,
    ): Promise<SecuritySettings> {
      await context.transaction(async (tx) => {
        const before = await store.lockedSecurity(tx)
        const changed = Object.entries(change).filter(
          ([name, value]) => before[name as keyof SecurityChoices] !== value,
        )
        if (changed.length === 0) return
        await store.changeSecurity(tx, change)
        // Ends the terminals of users who may no longer use this machine.
        if (change.selfRegisteredAccess !== undefined) await store.notifyUnapproved(tx)
        const detail = changed.map(([name, value]) => `${name}: ${value ?? 'default'}`).join(', ')
        await record(tx, me, context, {
          action: 'changed',
          subject: { kind: 'settings', id: 'security', name: 'security settings' },
          detail,
          changes: changesOf(before, change),
        })
        await notifySettingsChanged(tx)
      })
      return security()
    },
    torqueSetting,
    torqueSource: async (): Promise<TorqueSetting['source']> => (await torqueSetting()).source,
    async setTorqueSource(
      me: Caller,
      source: z.output<typeof TorqueSource>,
      context: RequestContext,
    ): Promise<TorqueSetting> {
      await context.transaction(async (tx) => {
        const before = await store.torqueSource(tx)
        await store.setTorqueSource(tx, { ...source, setAt: now() })
        const detail = `head node ${source.headPackages.join(', ')}; nodes ${source.nodePackages.join(', ')}`
        await record(tx, me, context, {
          action: 'changed',
          subject: TORQUE,
          detail,
          changes: changesOf({ source: before }, { source: { ...source, setAt: now() } }),
        })
        await notifySettingsChanged(tx)
      })
      return torqueSetting()
    },
    async removeTorqueSource(me: Caller, context: RequestContext): Promise<TorqueSetting> {
      await context.transaction(async (tx) => {
        const before = await store.torqueSource(tx)
        if (before === null) return
        await store.setTorqueSource(tx, null)
        await record(tx, me, context, {
          action: 'removed',
          subject: TORQUE,
          changes: changesOf({ source: before }, { source: null }),
        })
        await notifySettingsChanged(tx)
      })
      return torqueSetting()
    },
  }
}
