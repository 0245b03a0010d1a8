import type { StoredChoices } from '@flotilla/contract/site/config'
import type { SiteConfig, SiteConfigChange } from '@flotilla/contract/site/settings'
import { changesOf } from '../../changes'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { notifySettingsChanged } from '../../live/live'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import { record } from '../activities/activities'
import { parseChoices, type Choices } from './choices'
import { DEFAULT_INTRO } from './default-intro'
import { isLogoName, readLogo, type Logo } from './logo'
import * as store from './store'

const CONFIG_FILE = 'assets/config.json'
const LOGO = 'branding.logo'
const subject = { kind: 'settings', id: 'site-config', name: 'site configuration' } as const

type Options = { db: Database; runtime: RuntimeConfigFiles; choices: Choices }

/**
 * The fields of config.json that admins can change in the settings. Values set by the file take precedence and cannot
 * be changed.
 */
export function makeSiteConfig({ db, runtime, choices }: Options) {
  const introHtml = async (): Promise<string> => (await choices.get()).introHtml ?? DEFAULT_INTRO
  const view = async (): Promise<SiteConfig> => {
    const [values, setByFile, problems, introFile] = await Promise.all([
      runtime.config(),
      runtime.setByFile(),
      runtime.problems(),
      runtime.introFile(),
    ])
    const setBy = Object.fromEntries(setByFile.map((path) => [path, CONFIG_FILE]))
    if (introFile !== null) setBy.introHtml = `assets/${introFile.name}`
    return { values, introHtml: introFile?.text ?? (await introHtml()), setBy, problems }
  }
  const refuseSet = (fields: string[], { setBy }: SiteConfig): void => {
    const set = fields.filter((field) => Object.hasOwn(setBy, field))
    if (set.length === 0) return
    const all = set.map((field): [string, string] => [field, `Set by ${setBy[field]}. Change it there.`])
    fail('set_elsewhere', { fields: Object.fromEntries(all) })
  }
  const change = async (context: RequestContext, work: (tx: Transaction) => Promise<void>) => {
    await context.transaction(async (tx) => {
      await work(tx)
      await notifySettingsChanged(tx)
    })
    choices.forget()
    return view()
  }
  const setLogo = (tx: Transaction, stored: StoredChoices, logo: string | null) =>
    store.setChoices(tx, { ...stored, branding: { ...stored.branding, logo } })

  return {
    view,
    introHtml,
    async set(me: Caller, given: SiteConfigChange, context: RequestContext): Promise<SiteConfig> {
      const current = await view()
      const before = { ...current.values, introHtml: current.introHtml }
      const { introHtml: intro, ...config } = given
      const changes = changesOf(before, {
        ...config,
        ...(config.branding && { branding: { ...before.branding, ...config.branding } }),
        ...(config.features && { features: { ...before.features, ...config.features } }),
        introHtml: intro === null ? DEFAULT_INTRO : intro,
      })
      if (changes.length === 0) return current
      refuseSet(
        changes.map(({ field }) => field),
        current,
      )
      // Recovery links lead to this address.
      if (changes.some(({ field }) => field === 'server')) await context.requireConfirmation()
      return change(context, async (tx) => {
        const stored = parseChoices(await store.lockedChoices(tx))
        const isFree = (path: string) => !Object.hasOwn(current.setBy, path)
        await store.setChoices(tx, {
          ...stored,
          ...picked(config, isFree),
          branding: { ...stored.branding, ...picked(config.branding, (key) => isFree(`branding.${key}`)) },
          features: { ...stored.features, ...picked(config.features, (key) => isFree(`features.${key}`)) },
        })
        if (intro !== undefined && isFree('introHtml')) await store.setIntro(tx, intro)
        await record(tx, me, context, { action: 'changed', subject, changes })
      })
    },
    async setLogo(me: Caller, bytes: Uint8Array, context: RequestContext): Promise<SiteConfig> {
      const logo = readLogo(bytes)
      if (typeof logo === 'string') return fail('bad_input', { message: logo, fields: { logo } })
      const current = await view()
      refuseSet([LOGO], current)
      return change(context, async (tx) => {
        const address = `/assets/${logo.name}`
        await setLogo(tx, parseChoices(await store.lockedChoices(tx)), address)
        await store.setLogo(tx, logo)
        const changes = changesOf(current.values, { branding: { ...current.values.branding, logo: address } })
        await record(tx, me, context, { action: 'changed', subject, changes })
      })
    },
    async removeLogo(me: Caller, context: RequestContext): Promise<SiteConfig> {
      const current = await view()
      refuseSet([LOGO], current)
      if (current.values.branding.logo === null) return current
      return change(context, async (tx) => {
        await setLogo(tx, parseChoices(await store.lockedChoices(tx)), null)
        await store.removeLogo(tx)
        const changes = changesOf(current.values, { branding: { ...current.values.branding, logo: null } })
        await record(tx, me, context, { action: 'changed', subject, changes })
      })
    },
    /** The uploaded logo with this name. */
    logo: async (name: string): Promise<Logo | undefined> =>
      isLogoName(name) ? store.logo(db.kysely, name) : undefined,
  }
}

/** Leaves out values that a file sets, which the form sends unchanged. */
const picked = <T extends object>(given: T | undefined, isFree: (key: string) => boolean): Partial<T> =>
  // Border: `fromEntries` loses the type of the keys.
  Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => isFree(key))) as Partial<T>
